#include "problem/add.h"

#include <array>
#include <cmath>

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
                                          .cpu_default = std::size_t{1} << 24,
                                          .cpu_quick = std::size_t{1} << 20,
                                          .cuda_default = std::size_t{1} << 28,
                                          .cuda_quick = std::size_t{1} << 24}}};

class AddReference : public Reference {
 public:
  explicit AddReference(const std::vector<std::span<const float>>& inputs)
      : a_(inputs[0]), b_(inputs[1]) {}

  void expect(std::size_t first, std::span<double> value, std::span<double> bound) const override {
    // One rounding: an error of at most half a unit in the last place.
    constexpr double kFactor = 0.5;
    parallel_for(value.size(), kHostGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const double a = a_[first + i], b = b_[first + i];
        value[i] = a + b;
        bound[i] = kFactor * kEps * (std::abs(a) + std::abs(b));
      }
    });
  }

 private:
  std::span<const float> a_, b_;
};

class AddProblem : public Problem {
 public:
  std::string_view name() const override { return "add"; }
  std::span<const Size> sizes() const override { return kSizes; }
  std::vector<std::size_t> input_counts(const Shape& shape) const override {
    return {shape[0], shape[0]};
  }
  std::size_t output_count(const Shape& shape) const override { return shape[0]; }
  double flops(const Shape& shape) const override { return static_cast<double>(shape[0]); }
  Limit limit() const override { return Limit::two_reads_one_write; }

  void fill(const Shape&, const InputOptions& options, std::size_t input, std::size_t first,
            std::span<float> values) const override {
    fill_random(options, input, first, values);
  }

  std::unique_ptr<Reference> reference(
      const Shape&, const std::vector<std::span<const float>>& inputs) const override {
    return std::make_unique<AddReference>(inputs);
  }

  std::vector<Baseline> baselines(const Shape& shape) const override {
    return add_baselines(shape);
  }

  std::vector<Shape> test_shapes(std::span<const int> tiles) const override {
    return vector_shapes(tiles);
  }
};

}  // namespace

const Problem& Add::problem() {
  static const AddProblem problem;
  return problem;
}

}  // namespace problem
