// All elements become one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "judge/exercises/exercises.h"

namespace judge {
namespace {

using Limits = std::numeric_limits<float>;

std::size_t one(const Sizes&) { return 1; }

// output[0] of N elements of input.
Exercise reduced(std::string_view name, std::string_view title) {
  return {
      .name = name,
      .title = title,
      .arrays = {{"input", Element::f32, Role::input, length},
                 {"output", Element::f32, Role::output, one}},
      .sizes = {"N"},
      .large_cpu = {100003},
      .large_cuda = {16777259},
      .bench = {1 << 28},
      .limit = problem::Limit::read,
      .goals = {bytes_moved(1.1), atomics_per_element(1.0 / 128)},
  };
}

// With nothing but negative numbers a maximum that starts from zero is wrong. Some finite one is
// always there: it may start from -FLT_MAX.
void fill_negative_where_special(Data& data) {
  constexpr float kNegative[] = {-1e30f, -Limits::infinity(), Limits::lowest(), -1e20f};
  fill_floats(data, kNegative);
  if (data.run.values != Values::special) return;
  for_each_element<float>(data, 0, [](std::size_t, float& x) { x = -std::abs(x) - Limits::min(); });
}

}  // namespace

Exercise reduction() {
  Exercise exercise = reduced("reduction", "sum of all elements");
  exercise.cases =
      make_cases(edge_lengths(), {Values::exact, Values::equal}, {{3}, {257}, {10007}});
  exercise.fill = [](Data& data) { fill_floats(data); };
  exercise.answer = [](const Data& data) -> Answer {
    const std::span<const float> input = data.floats(0);
    double sum = 0, absolute = 0;
    std::mutex mutex;
    problem::parallel_for(input.size(), problem::kHostGrain,
                          [&](std::size_t begin, std::size_t end) {
                            double part = 0, absolute_part = 0;
                            for (const float x : input.subspan(begin, end - begin)) {
                              part += x;
                              absolute_part += std::abs(x);
                            }
                            const std::lock_guard lock(mutex);
                            sum += part;
                            absolute += absolute_part;
                          });
    const double bound = sum_bound(data, absolute);
    return [=](std::size_t) -> Expected { return {.value = sum, .bound = bound}; };
  };
  return exercise;
}

Exercise reduce_max() {
  Exercise exercise = reduced("reduce_max", "the largest element");
  exercise.cases =
      make_cases(edge_lengths(), {Values::special, Values::equal}, {{1}, {3}, {257}, {10007}});
  exercise.fill = fill_negative_where_special;
  exercise.answer = [](const Data& data) -> Answer {
    const std::span<const float> input = data.floats(0);
    const float most = *std::max_element(input.begin(), input.end());
    return [=](std::size_t) -> Expected { return {.value = most}; };
  };
  return exercise;
}

Exercise argmax() {
  Exercise exercise = reduced("argmax", "where the largest element is first");
  exercise.arrays[1].element = Element::i32;
  // In the longest one, a thread has equal elements of its own.
  exercise.cases = make_cases(edge_lengths(), {Values::exact, Values::equal, Values::special},
                              {{3}, {257}, {10007}, {70001}});
  exercise.fill = [](Data& data) {
    fill_negative_where_special(data);
    if (data.run.values != Values::equal) return;
    // Equal, though their bits differ: a solution may well compare bits.
    for_each_element<float>(data, 0,
                            [](std::size_t i, float& x) { x = i % 2 == 0 ? -0.0f : 0.0f; });
  };
  exercise.answer = [](const Data& data) -> Answer {
    const std::span<const float> input = data.floats(0);
    const auto most = std::max_element(input.begin(), input.end());  // the first of them
    return [at = static_cast<std::uint32_t>(most - input.begin())](std::size_t) {
      return Expected::exactly(at);
    };
  };
  return exercise;
}

}  // namespace judge
