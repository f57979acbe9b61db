// Something of each row of a matrix: normalized, or its largest elements.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "judge/exercises/exercises.h"
#include "problem/arithmetic.h"

namespace judge {
namespace {

using Limits = std::numeric_limits<float>;

constexpr double kEpsilon = 1e-5;  // under the root, so that a row of zeros is no division by zero

std::size_t columns(const Sizes& sizes) { return static_cast<std::size_t>(sizes[1]); }

// Positive terms do not cancel, and neither do their rounding errors: one running sum over a whole
// row loses more than those of a warp's lanes do. Relative to the sum, in units of kEps.
double error_of_positive_sum(std::size_t terms) { return 4 + static_cast<double>(terms) / 64; }

struct Moments {
  double mean = 0, mean_absolute = 0, variance = 0, mean_square = 0;
};

Moments moments_of(std::span<const float> row) {
  Moments m;
  const auto count = static_cast<double>(row.size());
  for (const float x : row) {
    m.mean += x / count;
    m.mean_absolute += std::abs(x) / count;
    m.mean_square += static_cast<double>(x) * x / count;
  }
  for (const float x : row) m.variance += (x - m.mean) * (x - m.mean) / count;
  return m;
}

std::vector<Moments> moments_of_rows(const Data& data) {
  const std::size_t cols = columns(data.run.sizes);
  std::vector<Moments> moments(length(data.run.sizes));
  problem::parallel_for(moments.size(), problem::kHostGrain / cols,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t row = begin; row < end; ++row)
                            moments[row] = moments_of(data.floats(0).subspan(row * cols, cols));
                        });
  return moments;
}

// Special: far from zero, where the mean of the squares less the square of the mean is noise.
void fill(Data& data) {
  fill_floats(data);
  if (data.run.values != Values::special) return;
  for_each_element<float>(data, 0, [](std::size_t, float& x) { x += 1000.0f; });
}

}  // namespace

Exercise layer_norm() {
  return {
      .name = "layer_norm",
      .title = "each row less its mean, by its deviation",
      .arrays = {{"input", Element::f32, Role::input, rectangle},
                 {"gamma", Element::f32, Role::input, columns},
                 {"beta", Element::f32, Role::input, columns},
                 {"output", Element::f32, Role::output, rectangle}},
      .sizes = {"rows", "cols"},
      .cases = make_cases(edge_rectangles(), {Values::special, Values::equal},
                          {{5, 7}, {3, 257}, {33, 127}}),
      .large_cpu = {257, 388},
      .large_cuda = {4099, 1031},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data, cols = columns(data.run.sizes),
                rows = moments_of_rows(data)](std::size_t i) -> Expected {
          const Moments& m = rows[i / cols];
          const double x = data.floats(0)[i], gamma = data.floats(1)[i % cols],
                       beta = data.floats(2)[i % cols];
          const double scale = 1 / std::sqrt(m.variance + kEpsilon);
          const double normalized = (x - m.mean) * scale;
          // The mean's error and that of x less the mean are relative to |x|; both are scaled, and
          // the variance has them twice.
          const double error = error_of_positive_sum(cols) * problem::kEps;
          const double shift = error * (std::abs(x) + m.mean_absolute) * scale;
          const double stretch = std::abs(normalized) * (error + 2 * shift);
          return {.value = normalized * gamma + beta,
                  .bound = std::abs(gamma) * (shift + stretch) +
                           problem::kSumFactor * problem::kEps *
                               (std::abs(normalized * gamma) + std::abs(beta))};
        };
      },
      .bench = {65536, 4096},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(2.3)},
  };
}

Exercise rms_norm() {
  return {
      .name = "rms_norm",
      .title = "each row by the root of its mean square",
      .arrays = {{"input", Element::f32, Role::input, rectangle},
                 {"weight", Element::f32, Role::input, columns},
                 {"output", Element::f32, Role::output, rectangle}},
      .sizes = {"rows", "cols"},
      .cases = make_cases(edge_rectangles(), {Values::special, Values::equal},
                          {{5, 7}, {3, 257}, {33, 127}}),
      .large_cpu = {257, 388},
      .large_cuda = {4099, 1031},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        return [&data, cols = columns(data.run.sizes),
                rows = moments_of_rows(data)](std::size_t i) -> Expected {
          const double scale = 1 / std::sqrt(rows[i / cols].mean_square + kEpsilon);
          const double value = data.floats(0)[i] * scale * data.floats(1)[i % cols];
          const double error = (error_of_positive_sum(cols) + problem::kSumFactor) * problem::kEps;
          return {.value = value, .bound = error * std::abs(value) + Limits::min()};
        };
      },
      .bench = {65536, 4096},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.8)},
  };
}

Exercise top_k() {
  return {
      .name = "top_k",
      .title = "the k largest elements of each row",
      .arrays = {{"input", Element::f32, Role::input, rectangle},
                 {"output", Element::f32, Role::output,
                  [](const Sizes& s) { return length(s) * static_cast<std::size_t>(s[2]); }}},
      .sizes = {"rows", "cols", "k"},
      .cases = make_cases({{1, 1, 1},
                           {3, 2, 2},
                           {2, 7, 3},
                           {5, 16, 16},
                           {4, 31, 4},
                           {33, 32, 1},
                           {7, 33, 8},
                           {3, 257, 16},
                           {17, 100, 5},
                           {2, 1023, 7},
                           {1, 2053, 16}},
                          {Values::equal, Values::special}, {{3, 40, 5}, {5, 257, 16}}),
      .large_cpu = {129, 388, 8},
      .large_cuda = {4099, 1031, 8},
      .fill =
          [](Data& data) {
            // All elements are negative: whoever starts from zero finds it.
            constexpr float kNegative[] = {-1e30f, Limits::lowest(), -1.0f};
            fill_floats(data, kNegative);
            if (data.run.values == Values::random) return;
            for_each_element<float>(
                data, 0, [](std::size_t, float& x) { x = -std::abs(x) - Limits::min(); });
          },
      .answer = [](const Data& data) -> Answer {
        const std::size_t cols = columns(data.run.sizes);
        const auto k = static_cast<std::size_t>(data.size(2));
        std::vector<float> largest;
        for (std::size_t row = 0; row < length(data.run.sizes); ++row) {
          const std::span<const float> values = data.floats(0).subspan(row * cols, cols);
          std::vector<float> sorted(values.begin(), values.end());
          std::partial_sort(sorted.begin(), sorted.begin() + data.size(2), sorted.end(),
                            std::greater<>());
          largest.insert(largest.end(), sorted.begin(),
                         sorted.begin() + static_cast<std::ptrdiff_t>(k));
        }
        return
            [largest = std::move(largest)](std::size_t i) { return Expected::exactly(largest[i]); };
      },
      .bench = {65536, 4096, 8},
      .limit = problem::Limit::read,
      .goals = {bytes_moved(1.3)},
  };
}

}  // namespace judge
