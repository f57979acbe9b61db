// The end of a process that has no addresses left: one line that says so.
#pragma once

#include <cstddef>

namespace cucpu {

// Bytes of address space that the process may have.
std::size_t address_limit();

// One line: "error: no addresses left for WHAT: raise the limit of virtual memory (ulimit -v), or
// ADVICE". The program may be right; it just cannot be run, or checked, here. Exit code 2.
[[noreturn]] void end_for_shortage(const char* what, const char* advice);

// Every `new` that fails from now on ends the program so.
void end_for_any_shortage(const char* what, const char* advice);

}  // namespace cucpu
