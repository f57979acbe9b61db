#include "problem/gemv.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "problem/arithmetic.h"
#include "problem/baselines.h"
#include "problem/parallel.h"
#include "problem/random.h"
#include "problem/test_shapes.h"

namespace problem {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 40;

constexpr Size size(std::string_view name, std::string_view help) {
  return {.name = name,
          .help = help,
          .limit = kLimit,
          .cpu_default = 2048,
          .cpu_quick = 512,
          .cuda_default = 16384,
          .cuda_quick = 4096};
}

enum { kM, kK };

constexpr std::array<Size, 2> kSizes = {size("m", "rows of A, elements of y"),
                                        size("k", "columns of A, elements of x")};

class GemvReference : public Reference {
 public:
  GemvReference(const Shape& shape, const std::vector<std::span<const float>>& inputs)
      : k_(shape[kK]), a_(inputs[0]), x_(inputs[1]) {}

  void expect(std::size_t first, std::span<double> value, std::span<double> bound) const override {
    const std::size_t rows_a_thread = kHostGrain / std::max<std::size_t>(k_, 1);
    parallel_for(value.size(), rows_a_thread, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::span<const float> row = a_.subspan((first + i) * k_, k_);
        double sum = 0, absolute = 0;
        for (std::size_t j = 0; j < k_; ++j) {
          const double product = static_cast<double>(row[j]) * x_[j];  // exact in fp64
          sum += product;
          absolute += std::abs(product);
        }
        value[i] = sum;
        bound[i] = kSumFactor * kEps * absolute;
      }
    });
  }

 private:
  std::size_t k_;
  std::span<const float> a_, x_;
};

class GemvProblem : public Problem {
 public:
  std::string_view name() const override { return "gemv"; }
  std::span<const Size> sizes() const override { return kSizes; }
  std::vector<std::size_t> input_counts(const Shape& shape) const override {
    return {saturating_multiply(shape[kM], shape[kK]), shape[kK]};
  }
  std::size_t output_count(const Shape& shape) const override { return shape[kM]; }
  double flops(const Shape& shape) const override {
    return 2 * static_cast<double>(shape[kM]) * static_cast<double>(shape[kK]);
  }
  Limit limit() const override { return Limit::read; }

  void fill(const Shape&, const InputOptions& options, std::size_t input, std::size_t first,
            std::span<float> values) const override {
    fill_random(options, input, first, values);
  }

  std::unique_ptr<Reference> reference(
      const Shape& shape, const std::vector<std::span<const float>>& inputs) const override {
    return std::make_unique<GemvReference>(shape, inputs);
  }

  std::vector<Baseline> baselines(const Shape& shape) const override {
    return gemv_baselines(shape);
  }

  std::vector<Shape> test_shapes(std::span<const int> tiles) const override {
    const std::vector<std::size_t> tile = tile_sizes(tiles, 2);
    const std::size_t m = tile[kM], k = tile[kK];
    return {
        {0, 0},         {0, k},         {m, 0},          {1, 1},           {1, k},
        {m, 1},         {2, 3},         {m, k},          {m - 1, k + 1},   {m + 1, k - 1},
        {m - 1, k - 1}, {m + 1, k + 1}, {m + 1, k + 4},  {31, 97},         {97, 31},
        {5, 1009},      {1009, 5},      {2 * m, 3 * k},  {3 * m + 1, 128}, {3 * m + 1, 131},
        {1, 16 * k},    {3, 16 * k},    {2, 16 * k + 3}, {7, 5 * k + 2},   {4 * m + 3, 4},
    };
  }
};

}  // namespace

const Problem& Gemv::problem() {
  static const GemvProblem problem;
  return problem;
}

}  // namespace problem
