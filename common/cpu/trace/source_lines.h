// From addresses of instructions to lines of the user's source.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace cucpu::trace {

struct SourceLine {
  std::string file = "?";
  unsigned line = 0;
};

// `code`: where calls return to, in this program. Of functions that were inlined, the innermost one
// that is not CUDA's own is taken. The program `addr2line` of binutils reads the debug information;
// without it, or without debug information, lines are unknown. Known addresses are kept.
std::unordered_map<std::uintptr_t, SourceLine> source_lines(
    const std::vector<std::uintptr_t>& code);

}  // namespace cucpu::trace
