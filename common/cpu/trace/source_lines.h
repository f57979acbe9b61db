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

// `code`: return addresses of calls, in this program. If functions were inlined there, the line is
// that of the innermost one that is not CUDA's own. `addr2line` of binutils reads the debug
// information; without either, lines are unknown. Known addresses are cached.
std::unordered_map<std::uintptr_t, SourceLine> source_lines(
    const std::vector<std::uintptr_t>& code);

}  // namespace cucpu::trace
