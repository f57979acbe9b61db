// The file that the process runs.
#pragma once

#include <filesystem>

namespace host {

// Absolute, also where there is no /proc; empty if nobody knows.
std::filesystem::path program_file();

}  // namespace host
