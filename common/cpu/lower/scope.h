// Declarations at namespace scope, and which identifiers may be declared anywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "code.h"
#include "declaration.h"

namespace cucpu::lower {

inline bool is_one_of(const Token& t, std::initializer_list<std::string_view> texts) {
  return std::any_of(texts.begin(), texts.end(), [&](std::string_view s) { return t.is(s); });
}
inline bool has_any(const Declaration& d, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return d.has(w); });
}

// All at namespace scope outside system headers, up to the first unbalanced bracket.
std::vector<Declaration> declarations_of(const Code& code);
// The identifiers that one of them declares: `a` and `b` of `int a = 1, *b;`. None if it declares
// none, or a member of a class elsewhere.
std::vector<std::size_t> names_in(const Code& code, const Declaration& d);

// Whether the identifier at i may be declared there, as whatever it is.
bool may_be_declared(const Code& code, std::size_t i);

}  // namespace cucpu::lower
