#include "problem/sgemm.h"

#include <array>
#include <limits>

#include "device/backend.h"
#include "problem/arithmetic.h"
#include "problem/baselines.h"
#include "problem/random.h"
#include "problem/sgemm_reference.h"
#include "problem/test_shapes.h"

namespace problem {
namespace {

constexpr std::size_t kLimit = std::numeric_limits<int>::max();

constexpr Size size(std::string_view name, std::string_view help) {
  return {.name = name,
          .help = help,
          .limit = kLimit,
          .cpu_default = 512,
          .cpu_quick = 128,
          .cuda_default = 4096,
          .cuda_quick = 1024};
}

enum { kM, kN, kK };

constexpr std::array<Size, 3> kSizes = {size("m", "rows of A and C"),
                                        size("n", "columns of B and C"),
                                        size("k", "columns of A, rows of B")};

constexpr std::array<Alias, 4> kAliases = {{{"wA", kK, "width of A"},
                                            {"hA", kM, "height of A"},
                                            {"wB", kN, "width of B"},
                                            {"hB", kK, "height of B, equal to the width of A"}}};

// Up to here the host's reference takes a second or two.
constexpr double kMostHostProducts = 2147483648.0;  // 2^31

class SgemmProblem : public Problem {
 public:
  std::string_view name() const override { return "sgemm"; }
  std::span<const Size> sizes() const override { return kSizes; }
  std::span<const Alias> aliases() const override { return kAliases; }
  std::vector<std::size_t> input_counts(const Shape& shape) const override {
    return {saturating_multiply(shape[kM], shape[kK]), saturating_multiply(shape[kK], shape[kN])};
  }
  std::size_t output_count(const Shape& shape) const override {
    return saturating_multiply(shape[kM], shape[kN]);
  }
  double flops(const Shape& shape) const override { return 2 * products(shape); }
  Limit limit() const override { return Limit::ffma; }

  void fill(const Shape&, const InputOptions& options, std::size_t input, std::size_t first,
            std::span<float> values) const override {
    fill_random(options, input, first, values);
  }

  std::unique_ptr<Reference> reference(
      const Shape& shape, const std::vector<std::span<const float>>& inputs) const override {
    return on_host(shape) ? sgemm_host_reference(shape, inputs)
                          : sgemm_device_reference(shape, inputs);
  }

  Footprint reference_bytes(const Shape& shape) const override {
    return {.device = on_host(shape) ? 0 : sgemm_device_reference_bytes(shape)};
  }

  std::vector<Baseline> baselines(const Shape& shape) const override {
    return sgemm_baselines(shape);
  }

  std::vector<Shape> test_shapes(std::span<const int> tiles) const override {
    const std::vector<std::size_t> tile = tile_sizes(tiles, 3);
    const std::size_t m = tile[kM], n = tile[kN], k = tile[kK];
    return {
        {0, 0, 0},
        {0, n, k},
        {m, 0, k},
        {m, n, 0},
        {1, 1, 1},
        {1, n, k},
        {m, 1, k},
        {m, n, 1},
        {2, 3, 5},
        {m, n, k},
        {m - 1, n + 1, k},
        {m + 1, n - 1, k},
        {m + 1, n + 1, k - 1},
        {m - 1, n - 1, k + 1},
        {m, n, 3 * k},
        {67, 131, 29},
        {131, 29, 67},
        {2 * m, 2 * n, 2 * k},
        {2 * m + 3, n + 5, 2 * k + 1},
        {4 * m + 1, 3, 7},
        {3, 4 * n + 1, 7},
        {5, 7, 1021},
    };
  }

 private:
  static bool on_host(const Shape& shape) {
    return device::kIsCpu || products(shape) <= kMostHostProducts;
  }

  static double products(const Shape& shape) {
    return static_cast<double>(shape[kM]) * static_cast<double>(shape[kN]) *
           static_cast<double>(shape[kK]);
  }
};

}  // namespace

const Problem& Sgemm::problem() {
  static const SgemmProblem problem;
  return problem;
}

}  // namespace problem
