#pragma once

#include <cstddef>
#include <string>

namespace device {

/// Makes everything that kernels do from now on be checked: memory, races, initialization and
/// barriers; findings go to stderr, in compute-sanitizer's wording. Buffers have no guards
/// (buffer.h). The process is replaced by its traced twin, with these arguments (a null pointer
/// last), unless it is the twin. Throws `std::runtime_error` where there is no twin, and on a GPU.
void start_checking(char* const* arguments);

/// While one exists, initcheck does not report this thread's copies of uninitialized memory:
/// outputs are not poisoned while kernels are checked, and a wrong kernel leaves some of them
/// unwritten.
class AllowUninitializedCopies {
 public:
  AllowUninitializedCopies() : before_(set(true)) {}
  ~AllowUninitializedCopies() { set(before_); }
  AllowUninitializedCopies(const AllowUninitializedCopies&) = delete;
  AllowUninitializedCopies& operator=(const AllowUninitializedCopies&) = delete;

 private:
  static bool set(bool allowed);  // returns what was set before

  const bool before_;
};

/// Errors found so far, in launches that have ended.
std::size_t found_errors();

/// The command lines that check the same on a GPU: one for each tool, with its line's end.
std::string checker_commands(const std::string& program_and_arguments);

}  // namespace device
