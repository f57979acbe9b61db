// The words of command lines.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace cucpu {

using Words = std::vector<std::string>;

inline Words split(const std::string& text, char separator) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty()) words.push_back(word);
  return words;
}

inline void append(Words& list, const Words& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace cucpu
