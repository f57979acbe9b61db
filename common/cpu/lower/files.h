#pragma once

#include <string>
#include <string_view>

namespace cucpu {

// A file's bytes; none if it is not there.
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view text);

}  // namespace cucpu
