#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// What is measured of one program.
struct Program {
  /// The program's path below the folder of all programs: "steps/01_naive_add/01_naive_add".
  std::string_view path;
  /// Sizes as options: "--rows 8192 --cols 8192". At the first one all variants are measured: they
  /// are the rungs of the chapter's ladder.
  std::vector<std::string_view> sizes;
  /// How many variants, from the last one backwards, are measured at the other sizes.
  std::size_t finals = 1;
  /// Launches whose median counts; 0: as many as the program takes by itself.
  std::size_t repeats = 0;

  /// "01_naive_add".
  std::string name() const;
};

/// All that is measured, in order.
const std::vector<Program>& plan();

}  // namespace bench
