// Sums of products, which fp32 rounds: right in any order, within a bound.
#include <cmath>

#include "judge/exercises/exercises.h"

namespace judge {
namespace {

void fill(Data& data) { fill_floats(data); }

// The sum of `count` products a[i * a_stride] * b[i * b_stride].
Expected dot(const Data& data, const float* a, std::size_t a_stride, const float* b,
             std::size_t b_stride, std::size_t count) {
  double sum = 0, absolute = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double product = static_cast<double>(a[i * a_stride]) * b[i * b_stride];
    sum += product;
    absolute += std::abs(product);
  }
  return {.value = sum, .bound = sum_bound(data, absolute)};
}

std::size_t size(const Sizes& sizes, std::size_t i) { return static_cast<std::size_t>(sizes[i]); }

}  // namespace

Exercise convolution_1d() {
  return {
      .name = "convolution_1d",
      .title = "output[i] = sum of input[i + j] * kernel[j]",
      .arrays = {{"input", Element::f32, Role::input, length},
                 {"kernel", Element::f32, Role::input, [](const Sizes& s) { return size(s, 1); }},
                 {"output", Element::f32, Role::output,
                  [](const Sizes& s) { return size(s, 0) - size(s, 1) + 1; }}},
      .sizes = {"input_size", "kernel_size"},
      .cases = make_cases({{1, 1},
                           {2, 1},
                           {2, 2},
                           {3, 2},
                           {5, 3},
                           {7, 7},
                           {32, 5},
                           {33, 32},
                           {127, 3},
                           {257, 9},
                           {260, 5},
                           {1000, 31},
                           {1023, 64},
                           {1025, 1025},
                           {2053, 2047},
                           {5003, 17}},
                          {Values::exact, Values::equal}, {{7, 3}, {300, 17}, {1025, 4}}),
      .large_cpu = {20011, 31},
      .large_cuda = {16777259, 31},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data](std::size_t i) {
          return dot(data, data.floats(0).data() + i, 1, data.floats(1).data(), 1,
                     data.floats(1).size());
        };
      },
      .bench = {1 << 28, 5},
      .limit = problem::Limit::copy,
  };
}

Exercise gemv() {
  return {
      .name = "gemv",
      .title = "y = A x, A is M x K",
      .arrays = {{"A", Element::f32, Role::input, rectangle},
                 {"x", Element::f32, Role::input, [](const Sizes& s) { return size(s, 1); }},
                 {"y", Element::f32, Role::output, length}},
      .sizes = {"M", "K"},
      .cases = make_cases(edge_rectangles(), {Values::exact, Values::equal},
                          {{3, 5}, {33, 127}, {5, 1024}}),
      .limits = {{(1 << 21) + 1, 1}, {1, (1 << 21) + 1}},
      .large_cpu = {257, 388},
      .large_cuda = {4099, 4111},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data, columns = size(data.run.sizes, 1)](std::size_t i) {
          return dot(data, data.floats(0).data() + i * columns, 1, data.floats(1).data(), 1,
                     columns);
        };
      },
      .bench = {16384, 16384},
      .limit = problem::Limit::read,
  };
}

Exercise matrix_multiplication() {
  return {
      .name = "matrix_multiplication",
      .title = "C = A B, A is M x N and B is N x K",
      .arrays = {{"A", Element::f32, Role::input, rectangle},
                 {"B", Element::f32, Role::input,
                  [](const Sizes& s) { return size(s, 1) * size(s, 2); }},
                 {"C", Element::f32, Role::output,
                  [](const Sizes& s) { return size(s, 0) * size(s, 2); }}},
      .sizes = {"M", "N", "K"},
      .cases = make_cases({{1, 1, 1},
                           {1, 2, 3},
                           {3, 2, 1},
                           {2, 5, 3},
                           {1, 33, 1},
                           {33, 1, 17},
                           {16, 16, 16},
                           {15, 17, 31},
                           {17, 15, 16},
                           {32, 32, 32},
                           {31, 33, 65},
                           {5, 129, 3},
                           {129, 3, 5},
                           {3, 5, 129},
                           {48, 20, 36}},
                          {Values::exact, Values::equal}, {{3, 4, 5}, {33, 31, 17}}),
      .large_cpu = {100, 67, 81},
      .large_cuda = {515, 1027, 259},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data, inner = size(data.run.sizes, 1),
                columns = size(data.run.sizes, 2)](std::size_t i) {
          return dot(data, data.floats(0).data() + i / columns * inner, 1,
                     data.floats(1).data() + i % columns, columns, inner);
        };
      },
      .bench = {4096, 4096, 4096},
      .limit = problem::Limit::ffma,
      .flops = [](const Sizes& s) { return 2.0 * s[0] * s[1] * s[2]; },
  };
}

}  // namespace judge
