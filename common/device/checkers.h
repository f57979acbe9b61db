#pragma once

#include <cstddef>
#include <string>

namespace device {

/// Makes everything that kernels do from now on be checked: memory, races, initialization and
/// barriers; findings go to stderr, in compute-sanitizer's wording. Buffers have no guards
/// (buffer.h). The process is replaced by its traced twin, with these arguments (a null pointer
/// last), unless it is the twin. Throws `std::runtime_error` where there is no twin, and on a GPU.
void start_checking(char* const* arguments);

/// While one exists, this thread may copy memory that was never written, and nobody reports it: a
/// checked program does not poison its outputs, and a wrong kernel leaves some unwritten.
class UnwrittenIsExpected {
 public:
  UnwrittenIsExpected() : before_(set(true)) {}
  ~UnwrittenIsExpected() { set(before_); }
  UnwrittenIsExpected(const UnwrittenIsExpected&) = delete;
  UnwrittenIsExpected& operator=(const UnwrittenIsExpected&) = delete;

 private:
  static bool set(bool expected);  // returns what held before

  const bool before_;
};

/// Errors found so far, in launches that have ended.
std::size_t found_errors();

/// The command lines that check the same on a GPU: one for each tool, with its line's end.
std::string checker_commands(const std::string& program_and_arguments);

}  // namespace device
