#include "problem/softmax.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "device/info.h"
#include "problem/arithmetic.h"
#include "problem/baselines.h"
#include "problem/parallel.h"
#include "problem/random.h"
#include "problem/test_shapes.h"

namespace problem {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 40;

constexpr std::array<Size, 2> kSizes = {{{.name = "rows",
                                          .help = "rows, each normalized by itself",
                                          .limit = kLimit,
                                          .cpu_default = 512,
                                          .cpu_quick = 64,
                                          .cuda_default = 32768,
                                          .cuda_quick = 4096},
                                         {.name = "cols",
                                          .help = "elements of a row",
                                          .limit = kLimit,
                                          .cpu_default = 1024,
                                          .cpu_quick = 256,
                                          .cuda_default = 1024,
                                          .cuda_quick = 1024}}};

// exp(x - max) comes out of fp32 with a relative error of a few eps and of about eps (max - x): the
// difference is rounded, and fast exponentials err in proportion to their argument. The sum has
// the mean of the terms' errors. And it loses what is too small to add to it: the terms reach from
// 1 down to e^-16, and one running sum of n of them ends n eps / 128 short (measured at n = 70001).
// With 32 running sums or more to a row, as a warp has, that is less than cols eps / 4096; 16 times
// as much is allowed here. So the bound is
//     4 eps y (1 + (max - x) + mean of (max - x), weighted by exp + cols / 1024),
// which is relative to y: small probabilities are held as tightly as large ones. Only where fp32
// itself gets coarse, below its least normal number, that number is the bound; fast exponentials
// give zero there.
class SoftmaxReference : public Reference {
 public:
  SoftmaxReference(const Shape& shape, std::span<const float> x)
      : cols_(shape[1]), x_(x), rows_(cols_ == 0 ? 0 : shape[0]) {
    parallel_for(rows_.size(), kHostGrain / std::max<std::size_t>(cols_, 1),
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t row = begin; row < end; ++row) rows_[row] = summarize(row);
                 });
  }

  static double bytes(const Shape& shape) {
    return static_cast<double>(shape[0]) * static_cast<double>(sizeof(Row));
  }

  void expect(std::size_t first, std::span<double> value, std::span<double> bound) const override {
    constexpr double kFactor = 4, kLeastNormal = std::numeric_limits<float>::min();
    const double sum_error = 1 + static_cast<double>(cols_) / 1024;
    parallel_for(value.size(), kHostGrain / 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Row& row = rows_[(first + i) / cols_];
        const double below = row.max - x_[first + i];
        value[i] = std::exp(-below) / row.sum;
        bound[i] = kLeastNormal;
        // Not where exp(-infinity) is zero or there is no softmax: no product with infinity or NaN.
        if (value[i] > 0)
          bound[i] += kFactor * kEps * value[i] * (below + row.mean_below + sum_error);
      }
    });
  }

 private:
  struct Row {
    double max, sum, mean_below;
  };

  Row summarize(std::size_t row) const {
    const std::span<const float> values = x_.subspan(row * cols_, cols_);
    const double max = *std::max_element(values.begin(), values.end());
    double sum = 0, weighted = 0;
    for (const float value : values) {
      const double below = max - value;
      const double exponential = std::exp(-below);
      sum += exponential;
      if (exponential > 0) weighted += exponential * below;  // `below` may be infinite
    }
    return {max, sum, weighted / sum};
  }

  std::size_t cols_;
  std::span<const float> x_;
  std::vector<Row> rows_;
};

// Around what the values of a row lie, an integer in [-512, 512]: without subtracting the maximum
// first, the exponentials of most rows overflow or vanish.
float row_level(std::uint64_t seed, std::size_t row) {
  constexpr int kMost = 512;
  constexpr std::uint64_t kStream = 1;  // 0 makes the elements
  return static_cast<float>(random_bits(seed, kStream, row) % (2 * kMost + 1)) - kMost;
}

// A row for bit-exact results: `maxima` elements, a power of two of them, equal `high`; all others
// are so far below that their exponential is zero. Each maximum then becomes 1 / maxima, however
// the exponential and the sum are computed.
class ExactRow {
 public:
  ExactRow(std::uint64_t seed, std::size_t row, std::size_t cols) : cols_(cols) {
    const std::uint64_t bits = random_bits(seed, 0, row);
    const auto choices = static_cast<std::uint64_t>(std::bit_width(std::min(cols, kMostMaxima)));
    maxima_ = std::size_t{1} << (bits % choices);
    stride_ = cols / maxima_;
    first_ = (bits >> 8) % cols;
    high_ = row_level(seed, row);
  }

  float operator[](std::size_t col) const {
    const std::size_t distance = col >= first_ ? col - first_ : col + cols_ - first_;
    const bool is_max = distance % stride_ == 0 && distance / stride_ < maxima_;
    return is_max ? high_ : high_ - kFarBelow;
  }

 private:
  static constexpr std::size_t kMostMaxima = std::size_t{1} << 20;
  static constexpr float kFarBelow = 256;  // exp(-256) is zero in fp32

  std::size_t cols_, maxima_, stride_, first_;
  float high_;
};

constexpr std::size_t kSpecialRows = 9;

// Element `col` of a row of the given kind; `unit` is a random number in [-1, 1). Rows without a
// softmax are among them: a sum that is 0 / 0, or infinite, or NaN makes every element NaN.
float special_element(std::size_t kind, std::size_t col, std::size_t cols, float unit) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  constexpr float kHuge = 3e38f;
  switch (kind) {
    case 0:
      return 1.5f;
    case 1:
      return kLowest;  // no element is larger than what a maximum may start from
    case 2:
      return unit < 0 ? -kHuge : kHuge;  // the difference overflows
    case 3:
      return unit < 0 ? -0.0f : 0.0f;
    case 4:
      return col % 3 == 0 ? -kInfinity : unit;  // also the first one
    case 5:
      return col + 1 == cols ? unit : -kInfinity;
    case 6:
      return -kInfinity;  // no softmax
    case 7:
      return col == cols / 2 ? kInfinity : unit;  // nor here
    default:
      return col == cols / 2 ? std::numeric_limits<float>::quiet_NaN() : unit;  // nor here
  }
}

class SoftmaxProblem : public Problem {
 public:
  std::string_view name() const override { return "softmax"; }
  std::span<const Size> sizes() const override { return kSizes; }
  std::vector<std::size_t> input_counts(const Shape& shape) const override {
    return {saturating_multiply(shape[0], shape[1])};
  }
  std::size_t output_count(const Shape& shape) const override {
    return saturating_multiply(shape[0], shape[1]);
  }
  // Maximum, difference, exponential, sum and division, one each an element.
  double flops(const Shape& shape) const override {
    return 5 * static_cast<double>(shape[0]) * static_cast<double>(shape[1]);
  }
  Limit limit() const override { return Limit::copy; }

  // Uniform over a range of 16: probabilities of a row differ by a factor of millions.
  void fill(const Shape& shape, const InputOptions& options, std::size_t input, std::size_t first,
            std::span<float> values) const override {
    constexpr float kHalfRange = 8;
    fill_random(options, input, first, values);
    const std::size_t cols = shape[1];
    for (std::size_t i = 0; i < values.size();) {
      const std::size_t row = (first + i) / cols;
      const std::size_t end = std::min(values.size(), (row + 1) * cols - first);
      const ExactRow exact(options.seed, row, cols);
      const float level = row_level(options.seed, row);
      const std::size_t kind = (row + cols + options.seed) % kSpecialRows;
      for (; i < end; ++i) {
        const std::size_t col = first + i - row * cols;
        switch (options.values) {
          case Values::random:
            values[i] = level + kHalfRange * values[i];
            break;
          case Values::exact:
            values[i] = exact[col];
            break;
          case Values::special:
            values[i] = special_element(kind, col, cols, values[i]);
            break;
        }
      }
    }
  }

  bool has_special_values() const override { return true; }

  std::unique_ptr<Reference> reference(
      const Shape& shape, const std::vector<std::span<const float>>& inputs) const override {
    return std::make_unique<SoftmaxReference>(shape, inputs[0]);
  }

  Footprint reference_bytes(const Shape& shape) const override {
    return {.host = SoftmaxReference::bytes(shape)};
  }

  std::vector<Baseline> baselines(const Shape& shape) const override {
    return softmax_baselines(shape);
  }

  std::vector<Shape> test_shapes(std::span<const int> tiles) const override {
    const std::size_t tile = tile_sizes(tiles, 1)[0];
    std::vector<Shape> shapes = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1009, 1}, {1, 1009}, {257, 7}};
    for (const std::size_t rows : {2, 3, 31, 33, 67}) shapes.push_back({rows, 33});
    for (const std::size_t cols :
         {2,  3,   4,   7,   8,   9,   15,  16,  17,  31,  32,   63,   64,  65,
          97, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025}) {
      shapes.push_back({5, cols});
    }
    for (const std::size_t cols : {tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 3}) {
      shapes.push_back({3, cols});
    }
    // Two warps of 1024 elements each, whose rows are all whole.
    for (std::size_t cols = 4; cols <= 1024; cols *= 2) shapes.push_back({2048 / cols, cols});
    for (const std::size_t cols : {2048, 2049, 4095, 8193}) shapes.push_back({3, cols});
    shapes.push_back({1, 70001});  // a row that no shared memory holds
    shapes.push_back({1, 262144});
    shapes.push_back({2, 262147});
    return shapes;
  }

  // Twice as many short rows as run at once where a thread has a float4 of each.
  std::vector<Shape> long_test_shapes() const override {
    const std::size_t float4s = 2 * device::resident_threads();
    std::vector<Shape> shapes;
    for (const std::size_t cols : {4, 8, 16, 32}) shapes.push_back({4 * float4s / cols + 3, cols});
    return shapes;
  }
};

}  // namespace

const Problem& Softmax::problem() {
  static const SoftmaxProblem problem;
  return problem;
}

}  // namespace problem
