#include "preprocessor_messages.h"

#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

#include "unsupported.h"

namespace cucpu::lower {

std::string missing_header_error(const std::string& messages) {
  static const std::regex kIncluded("^.* from (.+?):([0-9]+)(?::[0-9]+)?[,:]$");
  static const std::regex kFailed("^(.+?):([0-9]+):[0-9]+: (.*)$");
  const auto error = [](const std::smatch& place, const MissingHeader& header) {
    return place.str(1) + ":" + place.str(2) +
           ": error: " + is_missing(header.name, header.library);
  };
  std::vector<std::string> lines;
  std::istringstream in(messages);
  std::smatch place;
  for (std::string line; std::getline(in, line) && std::regex_match(line, place, kIncluded);) {
    // g++ begins with the innermost file, clang++ with the outermost.
    const bool is_gcc = !line.starts_with("In ");
    lines.insert(is_gcc || lines.empty() ? lines.end() : lines.begin(), line);
  }
  for (std::size_t i = lines.size(); i-- > 1;) {
    std::regex_match(lines[i - 1], place, kIncluded);
    const std::string file = place.str(1);
    if (const auto header = missing_header(file); std::regex_match(lines[i], place, kIncluded))
      if (header) return error(place, *header);
  }
  in = std::istringstream(messages);
  for (std::string line; std::getline(in, line);) {
    if (!std::regex_match(line, place, kFailed)) continue;
    std::string text = place.str(3);
    for (char& c : text)
      if (std::string_view(":'\",;").find(c) != std::string_view::npos) c = ' ';
    std::istringstream words(text);
    for (std::string word; words >> word;)
      if (const auto header = missing_header(word)) return error(place, *header);
  }
  return {};
}

}  // namespace cucpu::lower
