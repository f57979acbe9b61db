// Reads the messages of the host's preprocessor when it fails.
#pragma once

#include <string>

namespace cucpu::lower {

// The error at the place where the user's file or header asks for such a library, if it is what
// the preprocessor failed at; else nothing. Not found: `FILE:LINE:COLUMN: fatal error: cublas_v2.h:
// No such file`. Found, and no use: `In file included from PATH/thrust/sort.h:LINE,`, `from
// FILE:LINE:`.
std::string missing_header_error(const std::string& messages);

}  // namespace cucpu::lower
