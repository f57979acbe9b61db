#pragma once

#include <cstddef>
#include <sstream>
#include <string>

namespace host {

/// Lines of words, broken where they are longer than a terminal is wide, and continued with
/// `margin`. A line that is indented is code, which is left alone.
inline std::string wrapped(const std::string& text, const std::string& margin = "") {
  constexpr std::size_t kWidth = 80;
  std::istringstream in(text);
  std::string result;
  for (std::string line; std::getline(in, line);) {
    while (line.size() > kWidth && !line.starts_with(' ')) {
      const std::size_t end = line.rfind(' ', kWidth);
      if (end == std::string::npos || end <= margin.size()) break;
      result += line.substr(0, end) + "\n";
      line = margin + line.substr(end + 1);
    }
    result += line + "\n";
  }
  return result;
}

/// A report of a checker, in the layout of compute-sanitizer's.
inline std::string wrapped_report(const std::string& text) {
  return wrapped(text, "=========         ");
}

}  // namespace host
