#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// A step of the manifest steps/ladder.toml, as the programs need it that run all steps. The tables
/// themselves are in ladder_table.h, which the build makes of the manifest.
struct Step {
  /// "08_transpose_shared", or "gemv": in results, too.
  std::string name;
  /// Its program, below the build folder: "steps/08_transpose_shared/08_transpose_shared".
  std::string path;
  /// Sizes that are measured on a GPU, as options: {"--rows", "8192", "--cols", "8192"}. At the first
  /// one all kernels are measured.
  std::vector<std::vector<std::string>> sizes;
  /// The kernels that are measured at the other sizes, too.
  std::vector<std::string> everywhere;
  /// Launches whose median counts; 0: as many as the program takes by itself.
  std::size_t repeats = 0;
  /// Whether it is one of the numbered steps that the tour takes.
  bool in_tour = true;
};

/// The speed that a kernel's speed is divided by.
enum class Against {
  library,       ///< the library in the same process
  peers,         ///< that, and the fastest of the peers in another process
  roof,          ///< the roof of the problem
  roof_at_size,  ///< what a probe of the same traffic reaches over as many bytes
  nothing,       ///< TFLOP/s
};

/// A goal for the best kernel of a step at one size.
struct Goal {
  std::string title;  ///< of the group: goals with the same title follow each other
  std::string step;   ///< a Step's name
  Against against;
  std::vector<std::size_t> size;  ///< in the order of the step's options
  double goal = 0;                ///< 0: none
  double aim = 0;                 ///< 0: none
};

}  // namespace bench
