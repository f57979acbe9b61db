#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/goal.h"
#include "problem/parallel.h"
#include "problem/problem.h"

namespace judge {

/// The sizes that `solve` gets, in the order of its parameters.
using Sizes = std::vector<int>;

enum class Element { f32, u8, i32, u32 };
std::size_t bytes_of(Element element);

/// How `solve` uses an array: reads it, writes all of it, or changes it in place.
enum class Role { input, output, in_place };

/// A parameter of `solve` that points to device memory.
struct Array {
  std::string_view name = {};
  Element element;
  Role role;
  std::size_t (*count)(const Sizes& sizes);
};

/// The kinds of values that inputs are made of.
enum class Values {
  random,   ///< uniform in [-1, 1), or random bits
  exact,    ///< small integers, whose sums and products are exact in any order
  equal,    ///< all the same
  special,  ///< what the exercise finds hard: infinities, NaN, denormals, zeros of either sign
};
std::string_view name_of(Values values);

/// One run of `solve`.
struct Case {
  Sizes sizes;
  Values values = Values::random;
  std::uint64_t seed = 0;  ///< of all that is random in its inputs
};

/// An array in host memory, of any values at first.
class HostArray {
 public:
  explicit HostArray(std::size_t bytes)
      : size_(bytes), bytes_(std::make_unique_for_overwrite<unsigned char[]>(bytes)) {}

  std::span<const unsigned char> bytes() const { return {bytes_.get(), size_}; }
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes_.get()), size_ / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes_.get()), size_ / sizeof(T)};
  }

 private:
  std::size_t size_;
  std::unique_ptr<unsigned char[]> bytes_;
};

/// All arrays of a case, in the order of the parameters, as they are before `solve`.
struct Data {
  Case run;
  std::vector<HostArray> arrays;

  int size(std::size_t i) const { return run.sizes[i]; }
  std::span<const float> floats(std::size_t array) const { return arrays[array].as<float>(); }
};

/// The right value of an element of the output.
struct Expected {
  double value = 0;                        ///< in fp64; NaN where there is no right number
  double bound = 0;                        ///< the largest error that rounding in fp32 explains
  bool or_nan = false;                     ///< a NaN is as good
  std::optional<std::uint32_t> bits = {};  ///< if set, nothing but these bits is right

  static Expected exactly(float value);
  static Expected exactly(std::uint32_t bits);
};

/// Gives the right output element of each index, for the data that it was made of.
using Answer = std::function<Expected(std::size_t index)>;

/// An exercise: the signature of `solve`, the data it is tried on, and the right answers.
struct Exercise {
  std::string_view name = {};
  std::string_view title = {};                   ///< what is computed, in a few words
  std::vector<Array> arrays = {};                ///< the first parameters
  std::vector<std::string_view> sizes = {};      ///< the other parameters, all `int`
  std::vector<Case> cases = {};                  ///< small ones first
  std::vector<Sizes> limits = {};                ///< of the statement; on a CPU launched only
  Sizes large_cpu = {}, large_cuda = {};         ///< the last case; what it does is counted
  void (*fill)(Data& data) = nullptr;            ///< the inputs of `data.run`
  Answer (*answer)(const Data& data) = nullptr;  ///< `data` outlives the answer

  Sizes bench = {};                               ///< what is timed on a GPU
  std::optional<problem::Limit> limit = {};       ///< the roof to compare it with, if there is one
  int reads = 1;                                  ///< how often the inputs have to be read at least
  double (*flops)(const Sizes& sizes) = nullptr;  ///< needed where the limit is arithmetic
  std::vector<Goal> goals = {};                   ///< which the last solution reaches

  /// `const float*`, of an array
  std::string parameter_type(std::size_t array) const;
  /// `extern "C" void solve(const float* A, const float* B, float* C, int N)`
  std::string signature() const;
  /// `void(const float*, const float*, float*, int)`
  std::string function_type() const;
  /// Index of the one array that is not an input.
  std::size_t output() const;
  /// `N=1000`
  std::string describe(const Sizes& sizes) const;
  /// Bytes that have to move at least: each input `reads` times, each output once.
  double bytes(const Sizes& sizes) const;
};

/// All of them, in the order of the curriculum. Null for an unknown name.
const std::vector<Exercise>& exercises();
const Exercise* find_exercise(std::string_view name);

/// The data of a case, whose outputs are left empty: they are poisoned on the device.
Data make_data(const Exercise& exercise, const Case& run);

// --- what exercises are made of ------------------------------------------------------------------

/// Elements of an array: as many as the first size says, its square, or the first two multiplied.
std::size_t length(const Sizes& sizes);
std::size_t square(const Sizes& sizes);
std::size_t rectangle(const Sizes& sizes);

/// Lengths that find what goes wrong at the edges of packs, warps and blocks: 1, 2, 3, one off
/// powers of two, primes. Widths of square matrices do the same for tiles; rectangles are tall,
/// wide, a single row or column, and have no side in common with a tile.
std::vector<Sizes> edge_lengths();
std::vector<Sizes> edge_widths();
std::vector<Sizes> edge_rectangles();

/// Each shape with random values; then `others`, each at every shape of `some`.
std::vector<Case> make_cases(const std::vector<Sizes>& shapes, const std::vector<Values>& others,
                             const std::vector<Sizes>& some);

/// Calls `change(i, element)` for each element of an array, from several threads.
template <class T, class Change>
void for_each_element(Data& data, std::size_t array, Change change) {
  const std::span<T> elements = data.arrays[array].as<T>();
  problem::parallel_for(elements.size(), problem::kHostGrain,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t i = begin; i < end; ++i) change(i, elements[i]);
                        });
}

/// Fills all inputs that are floats, as `data.run.values` says; `special` values come round and
/// round, mixed with random ones.
void fill_floats(Data& data, std::span<const float> special = {});

/// Uniform random bits, a pure function of the data's seed, the array and the index.
std::uint32_t random_word(const Data& data, std::size_t array, std::size_t index);

/// The bound of a sum whose terms' absolute values add up to `absolute`: 0 for exact inputs.
double sum_bound(const Data& data, double absolute);

}  // namespace judge
