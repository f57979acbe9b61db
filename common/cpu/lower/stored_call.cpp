#include "stored_call.h"

#include "token.h"

namespace cucpu::lower {
namespace {

// Not a part of ==, <= or +=.
bool is_lone(const Code& code, std::size_t equals) {
  const Token &before = code[equals - 1], &t = code[equals];
  if (code[equals + 1].is("=")) return false;
  return before.is_identifier() || is_one_of(before, {")", "]"}) || before.end() != t.begin;
}

// Whether the left side, which ends before the =, declares nothing.
bool is_assignment(const Code& code, std::size_t equals) {
  std::size_t i = equals - 1;
  // `*next++ = f();`, `at(i) = f();`
  if (is_one_of(code[i], {"+", "-", ")"})) return true;
  // `x[i] = f();`, unlike `auto& [a, b] = f();`
  if (code[i].is("]")) {
    const Token& before = code[code.matching(i) - 1];
    return is_one_of(before, {")", "]"}) ||
           (before.is_identifier() && !is_one_of(before, {"auto", "const", "constexpr"}));
  }
  if (!code[i].is_identifier()) return false;
  while (code[i - 1].is("::") && code[i - 2].is_identifier()) i -= 2;
  if (is_one_of(code[i - 1], {".", "->"})) return true;
  while (code[i - 1].is("*")) --i;
  return is_one_of(code[i - 1], {";", "{", "}", ")", "(", ":", "=", "else", "do"});
}

// `f(`, `f<T>(`, `table[i](`, `(*pointer)(`
bool opens_call(const Code& code, std::size_t i) {
  return code[i].is("(") &&
         (code[i - 1].is_identifier() || is_one_of(code[i - 1], {">", ")", "]"}));
}

}  // namespace

std::optional<std::size_t> end_of_stored_call(const Code& code, std::size_t i) {
  if (!is_lone(code, i) || !is_assignment(code, i)) return std::nullopt;
  bool calls = false, chooses = false;
  std::size_t last_call = i;  // its )
  for (++i; !code[i].is(";"); ++i) {
    if (i >= code.size() || is_one_of(code[i], {",", "=", ")", "]", "}"})) return std::nullopt;
    chooses |= code[i].is("?");
    if (code[i].is("<") && code[code.closing_angle(i) + 1].is("(")) i = code.closing_angle(i);
    if (!code.is_opening(i)) continue;
    const bool is_call = opens_call(code, i);
    calls |= is_call;
    i = code.matching(i);
    if (is_call) last_call = i;
  }
  if (!calls || (!chooses && last_call + 1 != i)) return std::nullopt;
  return i;
}

}  // namespace cucpu::lower
