#include "problem/sum.h"

#include <array>
#include <cmath>
#include <mutex>

#include "problem/arithmetic.h"
#include "problem/baselines.h"
#include "problem/parallel.h"
#include "problem/random.h"
#include "problem/test_shapes.h"

namespace problem {
namespace {

constexpr std::array<Size, 1> kSizes = {{{.name = "n",
                                          .help = "elements",
                                          .limit = std::size_t{1} << 40,
                                          .cpu_default = std::size_t{1} << 20,
                                          .cpu_quick = std::size_t{1} << 16,
                                          .cuda_default = std::size_t{1} << 28,
                                          .cuda_quick = std::size_t{1} << 24}}};

class SumReference : public Reference {
 public:
  explicit SumReference(std::span<const float> x) {
    std::mutex mutex;
    parallel_for(x.size(), kHostGrain, [&](std::size_t begin, std::size_t end) {
      double sum = 0, absolute = 0;
      for (std::size_t i = begin; i < end; ++i) {
        sum += x[i];
        absolute += std::abs(static_cast<double>(x[i]));
      }
      const std::lock_guard lock(mutex);
      sum_ += sum;
      absolute_ += absolute;
    });
  }

  void expect(std::size_t, std::span<double> value, std::span<double> bound) const override {
    value[0] = sum_;
    bound[0] = kSumFactor * kEps * absolute_;
  }

 private:
  double sum_ = 0;
  double absolute_ = 0;
};

class SumProblem : public Problem {
 public:
  std::string_view name() const override { return "sum"; }
  std::span<const Size> sizes() const override { return kSizes; }
  std::vector<std::size_t> input_counts(const Shape& shape) const override { return {shape[0]}; }
  std::size_t output_count(const Shape&) const override { return 1; }
  double flops(const Shape& shape) const override { return static_cast<double>(shape[0]); }
  Limit limit() const override { return Limit::read; }

  // With `exact` every partial sum is an integer, and a random walk of steps up to 4: for 2^33
  // elements, 2^24 (up to where fp32 has all integers) is 60 standard deviations away.
  void fill(const Shape&, const InputOptions& options, std::size_t input, std::size_t first,
            std::span<float> values) const override {
    fill_random(options, input, first, values);
  }

  std::unique_ptr<Reference> reference(
      const Shape&, const std::vector<std::span<const float>>& inputs) const override {
    return std::make_unique<SumReference>(inputs[0]);
  }

  std::vector<Baseline> baselines(const Shape& shape) const override {
    return sum_baselines(shape);
  }

  std::vector<Shape> test_shapes(std::span<const int> tiles) const override {
    return vector_shapes(tiles);
  }
  // A grid that fills a GPU of 132 SMs has 132 * 2048 threads; with four float4 loads in flight
  // each, they get 4.3 million elements at a time.
  std::vector<Shape> long_test_shapes() const override { return {{6'000'011}}; }
};

}  // namespace

const Problem& Sum::problem() {
  static const SumProblem problem;
  return problem;
}

}  // namespace problem
