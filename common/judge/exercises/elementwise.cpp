// An output element of one input element, or of two.
#include <cmath>
#include <limits>

#include "judge/exercises/exercises.h"
#include "problem/arithmetic.h"

namespace judge {
namespace {

using Limits = std::numeric_limits<float>;

constexpr float kSpecial[] = {
    0.0f,
    -0.0f,
    Limits::infinity(),
    -Limits::infinity(),
    Limits::max(),
    Limits::lowest(),
    Limits::denorm_min(),
    -Limits::denorm_min(),
    Limits::min(),
    -Limits::min(),
    Limits::quiet_NaN(),
};

// C = A + B, rounded once. Sizes are such that `count` elements make an array.
Exercise addition(std::size_t (*count)(const Sizes&)) {
  return {
      .arrays = {{"A", Element::f32, Role::input, count},
                 {"B", Element::f32, Role::input, count},
                 {"C", Element::f32, Role::output, count}},
      .sizes = {"N"},
      .fill = [](Data& data) { fill_floats(data, kSpecial); },
      .answer = [](const Data& data) -> Answer {
        return [a = data.floats(0), b = data.floats(1)](std::size_t i) -> Expected {
          return {.value = a[i] + b[i]};
        };
      },
      .limit = problem::Limit::two_reads_one_write,
      .goals = {bytes_moved(1.1)},
  };
}

// A function of x that changes n elements in place.
Exercise in_place(std::string_view name, std::string_view title, Answer (*answer)(const Data&)) {
  return {
      .name = name,
      .title = title,
      .arrays = {{"x", Element::f32, Role::in_place, length}},
      .sizes = {"n"},
      .cases = make_cases(edge_lengths(), {Values::special}, {{7}, {257}, {1025}}),
      .large_cpu = {100003},
      .large_cuda = {16777259},
      .fill = [](Data& data) { fill_floats(data, kSpecial); },
      .answer = answer,
      .bench = {1 << 28},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.1)},
  };
}

}  // namespace

Exercise vector_addition() {
  Exercise exercise = addition(length);
  exercise.name = "vector_addition";
  exercise.title = "C = A + B";
  exercise.cases = make_cases(edge_lengths(), {Values::special}, {{7}, {257}, {1025}});
  exercise.large_cpu = {100003};
  exercise.large_cuda = {16777259};
  exercise.bench = {1 << 28};
  return exercise;
}

Exercise matrix_addition() {
  Exercise exercise = addition(square);
  exercise.name = "matrix_addition";
  exercise.title = "C = A + B, N x N matrices";
  exercise.cases = make_cases(edge_widths(), {Values::special}, {{3}, {17}, {33}});
  exercise.large_cpu = {317};
  exercise.large_cuda = {4099};
  exercise.bench = {16384};
  return exercise;
}

Exercise relu() {
  return in_place("relu", "max(0, x), in place", [](const Data& data) -> Answer {
    return [x = data.floats(0)](std::size_t i) -> Expected {
      // max(x, 0) and x > 0 ? x : 0 give 0 for a NaN, x < 0 ? 0 : x gives it back.
      if (std::isnan(x[i])) return {.value = 0, .or_nan = true};
      return {.value = x[i] > 0 ? x[i] : 0.0};
    };
  });
}

Exercise leaky_relu() {
  return in_place(
      "leaky_relu", "x, or 0.01 x where it is negative, in place", [](const Data& data) -> Answer {
        return [x = data.floats(0)](std::size_t i) -> Expected {
          if (!(x[i] <= 0)) return {.value = x[i]};
          // The slope may be a float or a double, and the product is rounded.
          const double value = 0.01 * x[i];
          return {.value = value, .bound = problem::kEps * std::abs(value) + Limits::denorm_min()};
        };
      });
}

Exercise sigmoid() {
  return {
      .name = "sigmoid",
      .title = "1 / (1 + exp(-x))",
      .arrays = {{"x", Element::f32, Role::input, length},
                 {"y", Element::f32, Role::output, length}},
      .sizes = {"N"},
      .cases = make_cases(edge_lengths(), {Values::special}, {{7}, {257}, {1025}}),
      .large_cpu = {100003},
      .large_cuda = {16777259},
      .fill =
          [](Data& data) {
            constexpr float kSteps[] = {0.0f,
                                        -0.0f,
                                        20.0f,
                                        -20.0f,
                                        100.0f,
                                        -100.0f,
                                        Limits::max(),
                                        Limits::lowest(),
                                        Limits::infinity(),
                                        -Limits::infinity(),
                                        Limits::denorm_min(),
                                        Limits::quiet_NaN()};
            fill_floats(data, kSteps);
            constexpr float kSpread = 8;  // from nearly 0 to nearly 1
            for_each_element<float>(data, 0, [](std::size_t, float& x) {
              if (std::abs(x) < 1) x *= kSpread;
            });
          },
      .answer = [](const Data& data) -> Answer {
        return [x = data.floats(0)](std::size_t i) -> Expected {
          // Also as (1 + tanh(x / 2)) / 2, whose error is relative to 1 and not to the result.
          constexpr double kRoundings = 4;
          return {.value = 1 / (1 + std::exp(-static_cast<double>(x[i]))),
                  .bound = kRoundings * problem::kEps};
        };
      },
      .bench = {1 << 28},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.1)},
  };
}

Exercise gelu() {
  return {
      .name = "gelu",
      .title = "x times the normal distribution below x",
      .arrays = {{"input", Element::f32, Role::input, length},
                 {"output", Element::f32, Role::output, length}},
      .sizes = {"N"},
      .cases = make_cases(edge_lengths(), {Values::special}, {{7}, {257}, {1025}}),
      .large_cpu = {100003},
      .large_cuda = {16777259},
      .fill =
          [](Data& data) {
            constexpr float kSteps[] = {0.0f,   -0.0f,         10.0f,  -10.0f,
                                        100.0f, -100.0f,       1e30f,  Limits::denorm_min(),
                                        -3.0f,  Limits::min(), -0.75f, Limits::quiet_NaN()};
            fill_floats(data, kSteps);
            constexpr float kSpread = 6;  // from hardly any share to nearly all
            for_each_element<float>(data, 0, [](std::size_t, float& x) {
              if (std::abs(x) < 1) x *= kSpread;
            });
          },
      .answer = [](const Data& data) -> Answer {
        return [x = data.floats(0)](std::size_t i) -> Expected {
          // 1 + erf cancels for negative x, so the error is relative to x and not to the result.
          constexpr double kRoundings = 4;
          const double value = x[i];
          return {.value = value / 2 * (1 + std::erf(value / std::sqrt(2.0))),
                  .bound = kRoundings * problem::kEps * std::abs(value) + Limits::denorm_min()};
        };
      },
      .bench = {1 << 28},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.1)},
  };
}

}  // namespace judge
