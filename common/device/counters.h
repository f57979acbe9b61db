#pragma once

#include <string>

namespace device {

/// What the launches since the last `take_counts` did, as a GPU's profiler counts it. On the CPU
/// backend only.
struct Counts {
  std::string json;    ///< sums over the launches, an object without line breaks
  std::string tables;  ///< a table for each launch, at most 80 columns wide
};

/// Makes launches be counted from now on. Only a program's traced twin can: any other process is
/// replaced by it, with these arguments (a null pointer last). Throws `std::runtime_error` where
/// there is no twin, and on a GPU.
void start_counting(char* const* arguments);
Counts take_counts();

/// The profiler's command line that gives the same figures on a GPU, less the program and its
/// arguments.
std::string profiler_command();

}  // namespace device
