#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/variant.h"

namespace harness {

/// The report of `find_faults`.
struct Findings {
  std::size_t launches = 0;         ///< launches whose whole output was compared
  std::size_t elements = 0;         ///< output elements compared
  std::vector<std::string> faults;  ///< a sentence each; empty when every launch was right
};

/// How much is tried of all pairs of values and seeds, and of inputs and repeated runs.
enum class Extent {
  usual,  ///< each kind of values with one seed; repeated runs with random values, no pointer moved
  all,
};

/// `all` on a GPU, where it costs little, and if TUTORIAL_EXTENT is "all".
Extent extent_of_tests();

/// Runs every variant at every test shape that `tiles` lead to: with random, exact and, where the
/// problem has them, special inputs, several seeds, and with each base pointer in turn, and all of
/// them, moved by 4 bytes; and once at the sizes of `--quick` and at each long test shape. Before
/// every launch the output is filled with NaN; after it the output is compared element by element,
/// and the red zones and the inputs must be untouched. Variants that promise the same bits run
/// several times. Stops a variant at its first fault.
Findings find_faults(const problem::Problem& problem, std::span<const int> tiles,
                     const std::vector<AnyVariant>& variants, Extent extent);

}  // namespace harness
