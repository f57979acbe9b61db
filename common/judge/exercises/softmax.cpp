// exp(x) of each element, divided by the sum of its row.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "judge/exercises/exercises.h"
#include "problem/arithmetic.h"

namespace judge {
namespace {

using Limits = std::numeric_limits<float>;

void fill(Data& data) {
  // Without subtracting the maximum first, the exponentials overflow or vanish.
  constexpr float kFar[] = {1e4f, -Limits::infinity(), -1e4f, 0.0f};
  fill_floats(data, kFar);
  const float spread = data.run.values == Values::special ? 1000.0f : 4.0f;
  const bool equal = data.run.values == Values::equal;
  for_each_element<float>(data, 0, [=](std::size_t, float& x) {
    if (equal)
      x = -1000.0f;  // far below the zero that a careless maximum starts from
    else if (std::abs(x) < 1)
      x *= spread;
  });
}

struct Row {
  double max = 0, sum = 0, mean_below = 0;
};

Row summarize(std::span<const float> values) {
  const double max = *std::max_element(values.begin(), values.end());
  double sum = 0, weighted = 0;
  std::mutex mutex;
  problem::parallel_for(values.size(), problem::kHostGrain,
                        [&](std::size_t begin, std::size_t end) {
                          double part = 0, weighted_part = 0;
                          for (const float value : values.subspan(begin, end - begin)) {
                            const double below = max - value;
                            const double exponential = std::exp(-below);
                            part += exponential;
                            if (exponential > 0) weighted_part += exponential * below;
                          }
                          const std::lock_guard lock(mutex);
                          sum += part;
                          weighted += weighted_part;
                        });
  return {max, sum, weighted / sum};
}

// The bound is that of problem/softmax.cpp, which explains it. Here one running sum may go over a
// whole row, which loses more than the 32 of a warp do.
Answer answer(const Data& data, std::size_t rows, std::size_t cols) {
  const std::span<const float> x = data.floats(0);
  std::vector<Row> summaries(rows);
  problem::parallel_for(rows, problem::kHostGrain / cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      summaries[row] = summarize(x.subspan(row * cols, cols));
  });
  return [=, summaries = std::move(summaries)](std::size_t i) -> Expected {
    constexpr double kFactor = 4;
    const Row& row = summaries[i / cols];
    const double below = row.max - x[i];
    const double value = std::exp(-below) / row.sum;
    const double sum_error = 1 + static_cast<double>(cols) / 256;
    double bound = Limits::min();
    if (value > 0) bound += kFactor * problem::kEps * value * (below + row.mean_below + sum_error);
    return {.value = value, .bound = bound};
  };
}

}  // namespace

Exercise softmax_vector() {
  return {
      .name = "softmax_vector",
      .title = "exp(x), divided by their sum",
      .arrays = {{"input", Element::f32, Role::input, length},
                 {"output", Element::f32, Role::output, length}},
      .sizes = {"N"},
      .cases = make_cases(edge_lengths(), {Values::special, Values::equal}, {{7}, {257}, {1025}}),
      .large_cpu = {50021},
      .large_cuda = {1048583},
      .fill = fill,
      .answer = [](const Data& data) { return answer(data, 1, length(data.run.sizes)); },
      .bench = {1 << 28},
      .limit = problem::Limit::two_reads_one_write,
      .reads = 2,  // no output without the whole sum, and no chip has room for such a vector
      .goals = {bytes_moved(1.1)},
  };
}

Exercise softmax_rows() {
  return {
      .name = "softmax_rows",
      .title = "the same for each row of a matrix",
      .arrays = {{"input", Element::f32, Role::input, rectangle},
                 {"output", Element::f32, Role::output, rectangle}},
      .sizes = {"num_rows", "num_cols"},
      .cases = make_cases(edge_rectangles(), {Values::special, Values::equal},
                          {{5, 7}, {3, 257}, {33, 127}}),
      .limits = {{(1 << 21) + 1, 1}, {1, (1 << 21) + 1}},
      .large_cpu = {257, 388},
      .large_cuda = {4099, 1031},
      .fill = fill,
      .answer =
          [](const Data& data) {
            return answer(data, static_cast<std::size_t>(data.size(0)),
                          static_cast<std::size_t>(data.size(1)));
          },
      .bench = {65536, 4096},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.2)},
  };
}

}  // namespace judge
