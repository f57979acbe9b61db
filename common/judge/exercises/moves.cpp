// Elements that change their place, and not one of their bits.
#include <limits>

#include "judge/exercises/exercises.h"

namespace judge {
namespace {

using Limits = std::numeric_limits<float>;

void fill(Data& data) {
  constexpr float kSpecial[] = {-0.0f, Limits::quiet_NaN(), -Limits::quiet_NaN(),
                                Limits::denorm_min(), Limits::infinity()};
  fill_floats(data, kSpecial);
}

std::size_t batch_of_squares(const Sizes& sizes) {
  const auto n = static_cast<std::size_t>(sizes[1]);
  return length(sizes) * n * n;
}

constexpr std::size_t kCoordinates = 3;

std::size_t triples(const Sizes& sizes) { return kCoordinates * length(sizes); }

// Output element i is input element from(i).
template <class From>
Answer moved(std::span<const float> input, From from) {
  return [=](std::size_t i) { return Expected::exactly(input[from(i)]); };
}

}  // namespace

Exercise matrix_copy() {
  return {
      .name = "matrix_copy",
      .title = "B = A, N x N matrices",
      .arrays = {{"A", Element::f32, Role::input, square},
                 {"B", Element::f32, Role::output, square}},
      .sizes = {"N"},
      .cases = make_cases(edge_widths(), {Values::special}, {{3}, {17}, {33}}),
      .large_cpu = {317},
      .large_cuda = {4099},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return moved(data.floats(0), [](std::size_t i) { return i; });
      },
      .bench = {16384},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.1)},
  };
}

Exercise reverse_array() {
  return {
      .name = "reverse_array",
      .title = "the last element first, in place",
      .arrays = {{"a", Element::f32, Role::in_place, length}},
      .sizes = {"n"},
      .cases = make_cases(edge_lengths(), {Values::special}, {{7}, {257}, {1024}}),
      .large_cpu = {100003},
      .large_cuda = {16777259},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const std::span<const float> a = data.floats(0);
        return moved(a, [last = a.size() - 1](std::size_t i) { return last - i; });
      },
      .bench = {1 << 28},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.2)},
  };
}

Exercise matrix_transpose() {
  return {
      .name = "matrix_transpose",
      .title = "rows become columns",
      .arrays = {{"input", Element::f32, Role::input, rectangle},
                 {"output", Element::f32, Role::output, rectangle}},
      .sizes = {"rows", "cols"},
      .cases = make_cases(edge_rectangles(), {Values::special}, {{3, 2}, {17, 33}}),
      // More than a grid has on y with tiles of 32.
      .limits = {{65535 * 32 + 33, 1}, {1, 65535 * 32 + 33}},
      .large_cpu = {324, 308},
      .large_cuda = {4099, 4111},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const auto rows = static_cast<std::size_t>(data.size(0));
        const auto cols = static_cast<std::size_t>(data.size(1));
        return moved(data.floats(0), [=](std::size_t i) { return i % rows * cols + i / rows; });
      },
      .bench = {16384, 16384},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.3)},
  };
}

Exercise transpose_in_place() {
  return {
      .name = "transpose_in_place",
      .title = "rows become columns, n x n, in place",
      .arrays = {{"matrix", Element::f32, Role::in_place, square}},
      .sizes = {"n"},
      .cases = make_cases(edge_widths(), {Values::special}, {{3}, {17}, {33}}),
      .large_cpu = {317},
      .large_cuda = {4099},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const std::size_t n = length(data.run.sizes);
        return moved(data.floats(0), [=](std::size_t i) { return i % n * n + i / n; });
      },
      .bench = {16384},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.6)},
  };
}

Exercise batched_transpose() {
  return {
      .name = "batched_transpose",
      .title = "many small square matrices, transposed",
      .arrays = {{"input", Element::f32, Role::input, batch_of_squares},
                 {"output", Element::f32, Role::output, batch_of_squares}},
      .sizes = {"batch", "n"},
      .cases = make_cases({{1, 1},
                           {7, 1},
                           {1, 2},
                           {1, 32},
                           {3, 3},
                           {100, 4},
                           {33, 5},
                           {5, 16},
                           {17, 17},
                           {9, 31},
                           {257, 2}},
                          {Values::special}, {{5, 3}, {3, 32}}),
      .large_cpu = {300, 16},
      .large_cuda = {65537, 16},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const auto n = static_cast<std::size_t>(data.size(1));
        return moved(data.floats(0),
                     [=](std::size_t i) { return i / (n * n) * n * n + i % n * n + i / n % n; });
      },
      .bench = {1 << 20, 16},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.1)},
  };
}

Exercise deinterleave() {
  return {
      .name = "deinterleave",
      .title = "x, y, z of N points, to N x, N y and N z",
      .arrays = {{"input", Element::f32, Role::input, triples},
                 {"output", Element::f32, Role::output, triples}},
      .sizes = {"N"},
      .cases = make_cases(edge_lengths(), {Values::special}, {{7}, {257}, {1025}}),
      .large_cpu = {50021},
      .large_cuda = {16777259},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const std::size_t n = length(data.run.sizes);
        return moved(data.floats(0), [=](std::size_t i) { return i % n * kCoordinates + i / n; });
      },
      .bench = {1 << 26},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.2)},
  };
}

}  // namespace judge
