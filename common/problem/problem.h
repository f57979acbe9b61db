#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace problem {

/// The sizes of one run, in the order of `Problem::sizes()`: {n}, {rows, cols} or {m, n, k}.
using Shape = std::vector<std::size_t>;

/// One named size of a problem, which is also a command line option: `--name`.
struct Size {
  std::string_view name;
  std::string_view help;
  std::size_t limit;        ///< largest legal value; 0 is always legal
  std::size_t cpu_default;  ///< elements; the whole tour must stay below a minute on two cores
  std::size_t cpu_quick;
  std::size_t cuda_default;  ///< elements; far more than the L2 cache holds
  std::size_t cuda_quick;

  /// The value for the backend in use: the default, or the smaller one.
  std::size_t standard(bool quick) const;
};

/// A second name for a size. Aliases of the same size must be given the same value.
struct Alias {
  std::string_view option;
  std::size_t size;  ///< index into `Problem::sizes()`
  std::string_view help;
};

/// The kinds of values that inputs are made of.
enum class Values {
  random,
  exact,    ///< small integers, so that every correct kernel gives the same bits
  special,  ///< what the problem finds hard: see `Problem::has_special_values`
};

/// How inputs are made.
struct InputOptions {
  std::uint64_t seed = 1;
  Values values = Values::random;
};

/// The arguments of a launch function: device pointers, and the sizes.
struct Operands {
  std::vector<const float*> inputs;
  float* output = nullptr;
  Shape shape;
};

/// A launch with its types erased. Enqueues work on the stream and returns.
using Launch = std::function<void(const Operands& operands, cudaStream_t stream)>;

/// A vendor library's answer to the same problem, for comparison.
struct Baseline {
  std::string name;
  Launch launch;
};

/// The limit of a problem's best kernel, which names the roof that it is compared with.
enum class Limit {
  two_reads_one_write,  ///< memory traffic of two streams in, one out
  copy,                 ///< memory traffic of one stream in, one out
  read,                 ///< memory traffic of one stream in
  ffma,                 ///< fp32 multiply-adds
};

/// Outputs are compared so many elements at a time, so that host memory does not limit their size.
inline constexpr std::size_t kPiece = std::size_t{1} << 22;

/// The right answer in fp64. Made once for given inputs, then asked piece by piece.
class Reference {
 public:
  virtual ~Reference() = default;

  /// Fills `value` with the right output elements [first, first + value.size()), and `bound` with
  /// the largest error that rounding in fp32 explains, `c * eps * (sum of absolute terms)`. If
  /// there is no right number, as for 0 / 0, the value is NaN.
  virtual void expect(std::size_t first, std::span<double> value,
                      std::span<double> bound) const = 0;
};

/// Bytes of memory.
struct Footprint {
  double device = 0;
  double host = 0;
};

/// A problem: its sizes, inputs, right answer and cost. All arrays are fp32.
class Problem {
 public:
  virtual ~Problem() = default;

  /// "sum": as the manifest calls it.
  virtual std::string_view name() const = 0;
  virtual std::span<const Size> sizes() const = 0;
  virtual std::span<const Alias> aliases() const { return {}; }

  /// Elements of each input array and of the output array. Saturates instead of overflowing.
  virtual std::vector<std::size_t> input_counts(const Shape& shape) const = 0;
  virtual std::size_t output_count(const Shape& shape) const = 0;

  /// Bytes that have to move at least: each input once, each output once.
  double bytes(const Shape& shape) const;
  /// Floating-point operations of the plain formula; 0 where there is no arithmetic.
  virtual double flops(const Shape& shape) const = 0;
  virtual Limit limit() const = 0;

  /// Fills `values` with elements [first, first + values.size()) of input array `input`.
  /// A pure function of its arguments, so that any piece can be made by any thread.
  virtual void fill(const Shape& shape, const InputOptions& options, std::size_t input,
                    std::size_t first, std::span<float> values) const = 0;
  /// Whether `fill` knows `Values::special`: infinities, NaN, huge and equal elements.
  virtual bool has_special_values() const { return false; }

  /// The reference for these inputs, which must outlive it.
  virtual std::unique_ptr<Reference> reference(
      const Shape& shape, const std::vector<std::span<const float>>& inputs) const = 0;
  /// Memory that the reference takes beside the inputs.
  virtual Footprint reference_bytes(const Shape&) const { return {}; }

  /// The vendor libraries' launches for this shape, the one that a library chooses itself first;
  /// none on the CPU or where the libraries have none.
  virtual std::vector<Baseline> baselines(const Shape& shape) const = 0;

  /// The shapes that a step's test runs, made from the kernels' tile sizes: empty ones, single
  /// elements, one off a tile, several tiles, primes, tall and wide ones.
  virtual std::vector<Shape> test_shapes(std::span<const int> tiles) const = 0;
  /// Further shapes, of more than a device holds at once, in its threads or in its cache. They are
  /// tried once.
  virtual std::vector<Shape> long_test_shapes() const { return {}; }

  /// "n=16777216", "rows=8192 cols=4096".
  std::string describe(const Shape& shape) const;
};

}  // namespace problem
