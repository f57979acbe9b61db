#pragma once

#include <string>

namespace device {

/// The counts of the launches since the last `take_counts`, as a GPU's profiler has them. On the
/// CPU backend only.
struct Counts {
  std::string json;    ///< sums over the launches, an object without line breaks
  std::string tables;  ///< a table for each launch, at most 80 columns wide
};

/// Whether launches can be counted: on the CPU backend, in a program that has a traced twin. Not
/// where CUCPU_TOOLS asks for tools, which then have the counts.
bool can_count();

/// Makes launches be counted from now on. Only a program's traced twin can: any other process is
/// replaced by it, with these arguments (a null pointer last). Throws `std::runtime_error` where
/// there is no twin, and on a GPU.
void start_counting(char* const* arguments);
/// With their tables, which take longer, or without.
Counts take_counts(bool with_tables);

/// The profiler's command line that gives the same figures on a GPU, less the program and its
/// arguments.
std::string profiler_command();

}  // namespace device
