#include "problem/transpose.h"

#include <array>
#include <set>

#include "problem/arithmetic.h"
#include "problem/baselines.h"
#include "problem/parallel.h"
#include "problem/random.h"
#include "problem/test_shapes.h"

namespace problem {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 40;

constexpr std::array<Size, 2> kSizes = {{{.name = "rows",
                                          .help = "rows of the input",
                                          .limit = kLimit,
                                          .cpu_default = 2048,
                                          .cpu_quick = 512,
                                          .cuda_default = 8192,
                                          .cuda_quick = 2048},
                                         {.name = "cols",
                                          .help = "columns of the input",
                                          .limit = kLimit,
                                          .cpu_default = 2048,
                                          .cpu_quick = 512,
                                          .cuda_default = 8192,
                                          .cuda_quick = 2048}}};

// Moving a value must not change it, so the bound is zero.
class TransposeReference : public Reference {
 public:
  TransposeReference(const Shape& shape, std::span<const float> in)
      : rows_(shape[0]), cols_(shape[1]), in_(in) {}

  void expect(std::size_t first, std::span<double> value, std::span<double> bound) const override {
    parallel_for(value.size(), kHostGrain, [&](std::size_t begin, std::size_t end) {
      std::size_t out_row = (first + begin) / rows_, out_col = (first + begin) % rows_;
      for (std::size_t i = begin; i < end; ++i) {
        value[i] = in_[out_col * cols_ + out_row];
        bound[i] = 0;
        if (++out_col == rows_) {
          out_col = 0;
          ++out_row;
        }
      }
    });
  }

 private:
  std::size_t rows_, cols_;
  std::span<const float> in_;
};

class TransposeProblem : public Problem {
 public:
  std::string_view name() const override { return "transpose"; }
  std::span<const Size> sizes() const override { return kSizes; }
  std::vector<std::size_t> input_counts(const Shape& shape) const override {
    return {saturating_multiply(shape[0], shape[1])};
  }
  std::size_t output_count(const Shape& shape) const override {
    return saturating_multiply(shape[0], shape[1]);
  }
  double flops(const Shape&) const override { return 0; }
  Limit limit() const override { return Limit::copy; }

  // With `exact` the elements are numbered from 1, as far as fp32 has integers: a misplaced one
  // tells where it came from.
  void fill(const Shape&, const InputOptions& options, std::size_t input, std::size_t first,
            std::span<float> values) const override {
    if (options.values != Values::exact) return fill_random(options, input, first, values);
    constexpr std::size_t kIntegers = std::size_t{1} << 24;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>((first + i) % kIntegers + 1);
    }
  }

  std::unique_ptr<Reference> reference(
      const Shape& shape, const std::vector<std::span<const float>>& inputs) const override {
    return std::make_unique<TransposeReference>(shape, inputs[0]);
  }

  std::vector<Baseline> baselines(const Shape& shape) const override {
    return transpose_baselines(shape);
  }

  std::vector<Shape> test_shapes(std::span<const int> tiles) const override {
    const std::vector<std::size_t> tile = tile_sizes(tiles, tiles.size() == 2 ? 2 : 1);
    const std::size_t tile_rows = tile.front(), tile_cols = tile.back();
    std::vector<Shape> shapes = {
        {0, 0},
        {0, 5},
        {5, 0},
        {1, 1},
        {1, tile_cols},
        {tile_rows, 1},
        {2, 3},
        {tile_rows, tile_cols},
        {tile_rows - 1, tile_cols + 1},
        {tile_rows + 1, tile_cols - 1},
        {tile_rows - 1, tile_cols - 1},
        {tile_rows + 1, tile_cols + 1},
        {31, 97},
        {97, 31},
        {1, 1009},
        {1009, 1},
        {3 * tile_rows, 2 * tile_cols},
        {2 * tile_rows + 5, 3 * tile_cols + 1},
        {3, 16 * tile_cols + 3},
        {16 * tile_rows + 3, 3},
    };
    // Rows that all start on sectors, and rows that end just before a tile or sector does.
    for (const std::size_t rows :
         {tile_rows, tile_rows + 7, 2 * tile_rows - 1, 2 * tile_rows + 8}) {
      for (const std::size_t cols : {tile_cols, tile_cols + 3, 2 * tile_cols + 4}) {
        shapes.push_back({rows, cols});
      }
    }
    // Thin matrices, with about as many rows or columns as a warp has lanes, and 4. On both sides,
    // all rows start on 16 bytes.
    for (const std::size_t few : {4, 28, 32, 36}) {
      for (const std::size_t side : std::set{tile_rows, tile_cols}) {
        for (const std::size_t many : {side / 4 * 4, 2 * side / 4 * 4 + 4, 7 * side / 4 * 4}) {
          shapes.push_back({few, many});
          shapes.push_back({many, few});
        }
      }
    }
    return shapes;
  }

  // Thin ones of which half of a GPU's L2 cache does not hold both sides.
  std::vector<Shape> long_test_shapes() const override { return {{32, 300000}, {300000, 36}}; }
};

}  // namespace

const Problem& Transpose::problem() {
  static const TransposeProblem problem;
  return problem;
}

}  // namespace problem
