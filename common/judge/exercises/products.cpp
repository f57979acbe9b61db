// Sums of products, which fp32 rounds: right in any order, within a bound.
#include <algorithm>
#include <cmath>
#include <limits>

#include "judge/exercises/exercises.h"
#include "problem/arithmetic.h"

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
  // Terms of one sign make partial sums that grow with each term, and rounding errors with them: by
  // chance, to about an eighth of eps * sqrt(count) of the sum (root mean square).
  const double grown = std::sqrt(static_cast<double>(count)) * std::abs(sum) / problem::kSumFactor;
  return {.value = sum, .bound = sum_bound(data, std::max(absolute, grown))};
}

std::size_t size(const Sizes& sizes, std::size_t i) { return static_cast<std::size_t>(sizes[i]); }

double product_of_sizes(const Sizes& sizes) { return 1.0 * sizes[0] * sizes[1] * sizes[2]; }

std::size_t batch_of_squares(const Sizes& sizes) {
  return size(sizes, 0) * size(sizes, 1) * size(sizes, 1);
}

// The scores of a query, as weights that add up to one, and how far rounding may move each of them.
struct Weights {
  std::vector<double> values;
  double error = 0;  // relative
};

Weights weights_of(const Data& data, std::size_t query) {
  const std::size_t keys = size(data.run.sizes, 1), d = size(data.run.sizes, 2);
  const float* q = data.floats(0).data() + query * d;
  Weights weights;
  double most = -std::numeric_limits<double>::infinity(), largest = 0, sum = 0;
  for (std::size_t key = 0; key < keys; ++key) {
    const float* k = data.floats(1).data() + key * d;
    double score = 0, absolute = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double product = static_cast<double>(q[i]) * k[i];
      score += product;
      absolute += std::abs(product);
    }
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    weights.values.push_back(score * scale);
    most = std::max(most, score * scale);
    largest = std::max(largest, absolute * scale);
  }
  for (double& weight : weights.values) sum += weight = std::exp(weight - most);
  for (double& weight : weights.values) weight /= sum;
  // The exponential turns the absolute error of a score, and of the largest one, into a relative
  // one; the sum of the weights adds that of its own additions.
  const double sum_error = 4 + static_cast<double>(keys) / 64;
  weights.error = problem::kEps * (2 * problem::kSumFactor * largest + sum_error);
  return weights;
}

Answer attention(const Data& data) {
  std::vector<Weights> queries;
  for (std::size_t query = 0; query < length(data.run.sizes); ++query)
    queries.push_back(weights_of(data, query));
  return [&data, queries = std::move(queries)](std::size_t i) -> Expected {
    const std::size_t d = size(data.run.sizes, 2);
    const Weights& weights = queries[i / d];
    double sum = 0, absolute = 0;
    for (std::size_t key = 0; key < weights.values.size(); ++key) {
      const double product = weights.values[key] * data.floats(2)[key * d + i % d];
      sum += product;
      absolute += std::abs(product);
    }
    const double error = weights.error + problem::kSumFactor * problem::kEps;
    return {.value = sum, .bound = error * absolute + std::numeric_limits<float>::min()};
  };
}

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
      .goals = {loads_per_fma(0.5, [](const Sizes& s) { return (s[0] - s[1] + 1.0) * s[1]; })},
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
      .goals = {bytes_moved(2.2)},
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
      .large_cpu = {128, 40, 192},
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
      .goals = {loads_per_fma(0.75, product_of_sizes)},
  };
}

Exercise dot_product() {
  return {
      .name = "dot_product",
      .title = "sum of A[i] * B[i]",
      .arrays = {{"A", Element::f32, Role::input, length},
                 {"B", Element::f32, Role::input, length},
                 {"output", Element::f32, Role::output,
                  [](const Sizes&) -> std::size_t { return 1; }}},
      .sizes = {"N"},
      .cases = make_cases(edge_lengths(), {Values::exact, Values::equal}, {{3}, {257}, {10007}}),
      .large_cpu = {100003},
      .large_cuda = {16777259},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const Expected sum =
            dot(data, data.floats(0).data(), 1, data.floats(1).data(), 1, data.floats(0).size());
        return [sum](std::size_t) { return sum; };
      },
      .bench = {1 << 28},
      .limit = problem::Limit::read,
      .goals = {bytes_moved(1.1), atomics_per_element(1.0 / 128)},
  };
}

Exercise batched_matmul() {
  return {
      .name = "batched_matmul",
      .title = "C = A B for many small square matrices",
      .arrays = {{"A", Element::f32, Role::input, batch_of_squares},
                 {"B", Element::f32, Role::input, batch_of_squares},
                 {"C", Element::f32, Role::output, batch_of_squares}},
      .sizes = {"batch", "n"},
      .cases = make_cases({{1, 1},
                           {5, 1},
                           {1, 2},
                           {3, 5},
                           {100, 3},
                           {2, 16},
                           {7, 17},
                           {3, 31},
                           {33, 8},
                           {4, 32},
                           {1, 64},
                           {2, 50}},
                          {Values::exact, Values::equal}, {{3, 4}, {5, 33}}),
      .large_cpu = {60, 24},
      .large_cuda = {4099, 31},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data, n = size(data.run.sizes, 1)](std::size_t i) {
          const std::size_t first = i / (n * n) * n * n, row = i / n % n, col = i % n;
          return dot(data, data.floats(0).data() + first + row * n, 1,
                     data.floats(1).data() + first + col, n, n);
        };
      },
      .bench = {65536, 32},
      .limit = problem::Limit::two_reads_one_write,
      .goals = {bytes_moved(1.5)},
  };
}

Exercise gram_matrix() {
  return {
      .name = "gram_matrix",
      .title = "G = A^T A, A is M x N",
      .arrays = {{"A", Element::f32, Role::input, rectangle},
                 {"G", Element::f32, Role::output,
                  [](const Sizes& s) { return size(s, 1) * size(s, 1); }}},
      .sizes = {"M", "N"},
      .cases = make_cases({{1, 1},
                           {1, 3},
                           {3, 1},
                           {2, 5},
                           {7, 16},
                           {33, 17},
                           {16, 64},
                           {31, 65},
                           {100, 7},
                           {5, 129},
                           {129, 33}},
                          {Values::exact, Values::equal}, {{3, 4}, {33, 31}}),
      .large_cpu = {96, 128},
      .large_cuda = {515, 1027},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data, columns = size(data.run.sizes, 1)](std::size_t i) {
          const float* a = data.floats(0).data();
          return dot(data, a + i / columns, columns, a + i % columns, columns,
                     length(data.run.sizes));
        };
      },
      .bench = {4096, 4096},
      .limit = problem::Limit::ffma,
      .flops = [](const Sizes& s) { return 2.0 * s[0] * s[1] * s[1]; },
      .goals = {loads_per_fma(0.75, [](const Sizes& s) { return 1.0 * s[0] * s[1] * s[1]; })},
  };
}

Exercise pairwise_distances() {
  return {
      .name = "pairwise_distances",
      .title = "squared distances of the points of X and Y",
      .arrays = {{"X", Element::f32, Role::input,
                  [](const Sizes& s) { return size(s, 0) * size(s, 2); }},
                 {"Y", Element::f32, Role::input,
                  [](const Sizes& s) { return size(s, 1) * size(s, 2); }},
                 {"D", Element::f32, Role::output, rectangle}},
      .sizes = {"M", "N", "dims"},
      .cases = make_cases({{1, 1, 1},
                           {2, 3, 1},
                           {1, 5, 3},
                           {5, 1, 2},
                           {16, 16, 16},
                           {17, 33, 5},
                           {33, 31, 8},
                           {64, 64, 3},
                           {65, 7, 31},
                           {3, 130, 17}},
                          {Values::exact, Values::equal}, {{3, 4, 5}, {33, 31, 7}}),
      .large_cpu = {128, 192, 24},
      .large_cuda = {1027, 1031, 67},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data, columns = size(data.run.sizes, 1),
                dims = size(data.run.sizes, 2)](std::size_t i) -> Expected {
          const float* x = data.floats(0).data() + i / columns * dims;
          const float* y = data.floats(1).data() + i % columns * dims;
          double sum = 0;
          for (std::size_t d = 0; d < dims; ++d) {
            const double difference = static_cast<double>(x[d]) - y[d];
            sum += difference * difference;
          }
          // Each difference rounds once, and its square has that error twice.
          return {.value = sum, .bound = sum_bound(data, 2 * sum)};
        };
      },
      .bench = {8192, 8192, 128},
      .limit = problem::Limit::ffma,
      .flops = [](const Sizes& s) { return 3.0 * s[0] * s[1] * s[2]; },
      .goals = {loads_per_fma(0.75, product_of_sizes)},
  };
}

Exercise linear_relu() {
  return {
      .name = "linear_relu",
      .title = "Y = max(0, X W + b), W is K x N",
      .arrays = {{"X", Element::f32, Role::input,
                  [](const Sizes& s) { return size(s, 0) * size(s, 2); }},
                 {"W", Element::f32, Role::input,
                  [](const Sizes& s) { return size(s, 2) * size(s, 1); }},
                 {"b", Element::f32, Role::input, [](const Sizes& s) { return size(s, 1); }},
                 {"Y", Element::f32, Role::output, rectangle}},
      .sizes = {"M", "N", "K"},
      .cases = make_cases({{1, 1, 1},
                           {1, 2, 3},
                           {3, 2, 1},
                           {2, 5, 3},
                           {33, 17, 1},
                           {16, 16, 16},
                           {15, 31, 17},
                           {64, 64, 8},
                           {65, 31, 33},
                           {5, 3, 129},
                           {129, 66, 5}},
                          {Values::exact, Values::equal}, {{3, 4, 5}, {33, 17, 31}}),
      .large_cpu = {128, 192, 40},
      .large_cuda = {515, 1027, 259},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data, columns = size(data.run.sizes, 1),
                inner = size(data.run.sizes, 2)](std::size_t i) -> Expected {
          Expected sum = dot(data, data.floats(0).data() + i / columns * inner, 1,
                             data.floats(1).data() + i % columns, columns, inner);
          const double bias = data.floats(2)[i % columns];
          sum.value = std::max(0.0, sum.value + bias);
          sum.bound += sum_bound(data, std::abs(bias));
          return sum;
        };
      },
      .bench = {4096, 4096, 4096},
      .limit = problem::Limit::ffma,
      .flops = [](const Sizes& s) { return 2.0 * s[0] * s[1] * s[2]; },
      .goals = {loads_per_fma(0.75, product_of_sizes)},
  };
}

// softmax(Q K^T / sqrt(d)) V. The reference keeps a row of scores; a solution need not.
Exercise attention_head() {
  return {
      .name = "attention_head",
      .title = "softmax(Q K^T / sqrt(d)) V",
      .arrays =
          {{"Q", Element::f32, Role::input, [](const Sizes& s) { return size(s, 0) * size(s, 2); }},
           {"K", Element::f32, Role::input, [](const Sizes& s) { return size(s, 1) * size(s, 2); }},
           {"V", Element::f32, Role::input, [](const Sizes& s) { return size(s, 1) * size(s, 2); }},
           {"output", Element::f32, Role::output,
            [](const Sizes& s) { return size(s, 0) * size(s, 2); }}},
      .sizes = {"M", "N", "d"},
      .cases = make_cases({{1, 1, 1},
                           {1, 2, 1},
                           {3, 5, 7},
                           {5, 33, 4},
                           {32, 32, 32},
                           {17, 100, 31},
                           {2, 257, 64},
                           {33, 31, 65},
                           {9, 64, 128}},
                          {Values::special, Values::equal}, {{3, 5, 4}, {7, 70, 16}}),
      .large_cpu = {68, 130, 32},
      .large_cuda = {1027, 1031, 64},
      .fill =
          [](Data& data) {
            fill_floats(data);
            if (data.run.values != Values::special) return;
            // Scores of some hundreds: their exponentials overflow without the maximum.
            for_each_element<float>(data, 0, [](std::size_t, float& x) { x *= 1000.0f; });
          },
      .answer = attention,
      .bench = {4096, 4096, 64},
      .limit = problem::Limit::ffma,
      .flops = [](const Sizes& s) { return 4.0 * s[0] * s[1] * s[2]; },
      .goals = {bytes_moved(12.0)},
  };
}

}  // namespace judge
