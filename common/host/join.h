#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host {

/// The words, with `separator` between them.
inline std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

}  // namespace host
