#include "preprocessor_messages.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "unsupported.h"

namespace cucpu::lower {
namespace {

// Lines may be as long as those of the sources that they quote, so that no std::regex, which
// recurses, is for them.
struct Place {
  std::string file, line, text;
};

// How many digits the text begins with.
std::size_t digits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

// "FILE:LINE" and, perhaps, ":COLUMN", at the beginning, and what follows.
std::optional<Place> place_in(std::string_view text, bool needs_column) {
  for (std::size_t colon = text.find(':', 1); colon != text.npos;
       colon = text.find(':', colon + 1)) {
    std::string_view rest = text.substr(colon + 1);
    const std::string_view line = rest.substr(0, digits(rest));
    if (line.empty()) continue;
    rest.remove_prefix(line.size());
    const std::size_t column = rest.starts_with(':') ? digits(rest.substr(1)) : 0;
    if (column == 0 && needs_column) continue;
    if (column != 0) rest.remove_prefix(1 + column);
    return Place{std::string(text.substr(0, colon)), std::string(line), std::string(rest)};
  }
  return std::nullopt;
}

// "In file included from FILE:LINE:", and further such lines.
std::optional<Place> included(std::string_view line) {
  constexpr std::string_view kFrom = " from ";
  const std::size_t from = line.rfind(kFrom);
  if (from == line.npos) return std::nullopt;
  const auto place = place_in(line.substr(from + kFrom.size()), /*needs_column=*/false);
  return place && (place->text == "," || place->text == ":") ? place : std::nullopt;
}

// "FILE:LINE:COLUMN: what is wrong"
std::optional<Place> failed(std::string_view line) {
  auto place = place_in(line, /*needs_column=*/true);
  if (!place || !place->text.starts_with(": ")) return std::nullopt;
  place->text.erase(0, 2);
  return place;
}

}  // namespace

std::string missing_header_error(const std::string& messages) {
  const auto error = [](const Place& place, const MissingHeader& header) {
    return place.file + ":" + place.line + ": error: " + is_missing(header.name, header.library);
  };
  std::vector<Place> places;
  std::istringstream in(messages);
  for (std::string line; std::getline(in, line);) {
    const auto place = included(line);
    if (!place) break;
    // g++ begins with the innermost file, clang++ with the outermost.
    const bool is_gcc = !line.starts_with("In ");
    places.insert(is_gcc || places.empty() ? places.end() : places.begin(), *place);
  }
  for (std::size_t i = places.size(); i-- > 1;)
    if (const auto header = missing_header(places[i - 1].file)) return error(places[i], *header);
  in = std::istringstream(messages);
  for (std::string line; std::getline(in, line);) {
    const auto place = failed(line);
    if (!place) continue;
    std::string text = place->text;
    for (char& c : text)
      if (std::string_view(":'\",;").find(c) != std::string_view::npos) c = ' ';
    std::istringstream words(text);
    for (std::string word; words >> word;)
      if (const auto header = missing_header(word)) return error(*place, *header);
  }
  return {};
}

}  // namespace cucpu::lower
