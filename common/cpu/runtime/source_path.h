// Names of source files, as they are told to the user.
#pragma once

#include <string>

namespace cucpu {

// Without detours: from the current folder on where the file lies below it, else from the root on.
// `file`: as the compiler names it.
std::string as_seen_from_here(const std::string& file);

}  // namespace cucpu
