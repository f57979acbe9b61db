// Changes to the tokens of a text, applied all at once. Everything else, above all white space and
// line breaks, stays as it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "token.h"

namespace cucpu::lower {

class Edits {
 public:
  // A second replacement of the same token takes the place of the first.
  void replace(const Token& token, const std::string& text) { of(token).text = text; }
  // Line breaks inside the token stay.
  void remove(const Token& token) {
    const auto breaks = std::count(token.text.begin(), token.text.end(), '\n');
    replace(token, std::string(static_cast<std::size_t>(breaks), '\n'));
  }
  void insert_before(const Token& token, const std::string& text) { of(token).before += text; }
  void insert_after(const Token& token, const std::string& text) { of(token).after += text; }

  std::string apply(std::string_view source) const {
    std::string out;
    out.reserve(source.size() + source.size() / 8);
    std::size_t at = 0;
    for (const auto& [begin, edit] : edits_) {
      out.append(source.substr(at, begin - at));
      out.append(edit.before).append(edit.text).append(edit.after);
      at = begin + edit.length;
    }
    return out.append(source.substr(at));
  }

 private:
  struct Edit {
    std::size_t length;
    std::string before, text, after;
  };
  Edit& of(const Token& token) {
    return edits_.try_emplace(token.begin, Edit{token.text.size(), {}, std::string(token.text), {}})
        .first->second;
  }

  std::map<std::size_t, Edit> edits_;  // by where the token begins
};

}  // namespace cucpu::lower
