// Whole numbers whose place or sum depends on all that stand before them.
#include <algorithm>

#include "judge/exercises/exercises.h"

namespace judge {
namespace {

// Random whole numbers from `least` to `least + span - 1`; all the same one where values are equal.
void fill_integers(Data& data, int least, std::uint32_t span) {
  const bool equal = data.run.values == Values::equal;
  for_each_element<int>(data, 0, [=, &data](std::size_t i, int& x) {
    x = least + static_cast<int>(equal ? span - 1 : random_word(data, 0, i) % span);
  });
}

// An answer that is computed once, as a whole.
Answer exactly(std::vector<std::uint32_t> values) {
  return [values = std::move(values)](std::size_t i) { return Expected::exactly(values[i]); };
}

Exercise of_integers(std::string_view name, std::string_view title) {
  return {
      .name = name,
      .title = title,
      .arrays = {{"input", Element::i32, Role::input, length},
                 {"output", Element::i32, Role::output, length}},
      .sizes = {"N"},
      .cases = make_cases(edge_lengths(), {Values::equal}, {{3}, {257}, {10007}}),
      .large_cpu = {50021},
      .large_cuda = {16777259},
      .bench = {1 << 28},
      .limit = problem::Limit::copy,
  };
}

}  // namespace

Exercise histogram() {
  return {
      .name = "histogram",
      .title = "how often each value occurs",
      .arrays = {{"input", Element::i32, Role::input, length},
                 {"counts", Element::i32, Role::output,
                  [](const Sizes& s) { return static_cast<std::size_t>(s[1]); }}},
      .sizes = {"N", "num_bins"},
      .cases = make_cases({{1, 1},
                           {1, 100},
                           {2, 2},
                           {31, 7},
                           {33, 32},
                           {255, 256},
                           {257, 33},
                           {1000, 1},
                           {1023, 1024},
                           {5003, 4096},
                           {10007, 100}},
                          {Values::equal}, {{257, 5}, {5003, 1024}}),
      .large_cpu = {100003, 256},
      .large_cuda = {16777259, 256},
      .fill = [](Data& data) { fill_integers(data, 0, static_cast<std::uint32_t>(data.size(1))); },
      .answer = [](const Data& data) -> Answer {
        std::vector<std::uint32_t> counts(static_cast<std::size_t>(data.size(1)));
        for (const int value : data.arrays[0].as<int>()) ++counts[static_cast<std::size_t>(value)];
        return exactly(std::move(counts));
      },
      .bench = {1 << 28, 256},
      .limit = problem::Limit::read,
      .goals = {atomics_per_element(0.25)},
  };
}

Exercise exclusive_scan() {
  Exercise exercise = of_integers("exclusive_scan", "output[i] = sum of all input[j] with j < i");
  // Their sums stay small, however long the vector is, and those of equal ones are of short
  // vectors.
  exercise.fill = [](Data& data) { fill_integers(data, -100, 201); };
  exercise.answer = [](const Data& data) -> Answer {
    std::vector<std::uint32_t> sums;
    std::uint32_t sum = 0;
    for (const int value : data.arrays[0].as<int>()) {
      sums.push_back(sum);
      sum += static_cast<std::uint32_t>(value);
    }
    return exactly(std::move(sums));
  };
  exercise.goals = {bytes_moved(2.0)};
  return exercise;
}

Exercise compaction() {
  Exercise exercise = of_integers("compaction", "the positive elements, in order, then zeros");
  exercise.fill = [](Data& data) { fill_integers(data, -50, 101); };
  exercise.answer = [](const Data& data) -> Answer {
    const std::span<const int> input = data.arrays[0].as<int>();
    std::vector<std::uint32_t> kept(input.size());
    std::copy_if(input.begin(), input.end(), kept.begin(), [](int value) { return value > 0; });
    return exactly(std::move(kept));
  };
  exercise.goals = {bytes_moved(3.0)};
  return exercise;
}

}  // namespace judge
