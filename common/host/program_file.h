// The file that the process runs.
#pragma once

#include <filesystem>

namespace host {

// The program's absolute path, found even without /proc; empty if it cannot be found.
std::filesystem::path program_file();

}  // namespace host
