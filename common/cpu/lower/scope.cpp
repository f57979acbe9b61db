#include "scope.h"

#include "kernel_names.h"
#include "lower.h"

namespace cucpu::lower {
namespace {

// Behind the declaration whose first part is `d`.
std::size_t end_of(const Code& code, const Declaration& d) {
  std::size_t i = d.end;
  for (; i < code.size() && !code[i].is(";"); i = skip_group(code, i) + 1) {
    if (!code[i].is("{")) continue;
    const std::size_t close = code.matching(i);
    return code[close + 1].is(";") ? close + 2 : close + 1;
  }
  return i + 1;
}

// `namespace a::b {`, `inline namespace {`, `extern "C" {`: the {, else 0.
std::size_t opened_namespace(const Code& code, std::size_t i) {
  if (code[i].is("inline")) ++i;
  const bool is_linkage = code[i].is("extern") && code[i + 1].kind == TokenKind::literal;
  if (!is_linkage && !code[i].is("namespace")) return 0;
  i += is_linkage ? 2 : 1;
  while (code[i].is_identifier() || code[i].is("::")) ++i;
  return code[i].is("{") ? i : 0;
}

// Between <<< and >>>, as a launch's size; `open` is the { around it.
bool is_in_launch(const Code& code, std::size_t open, std::size_t i) {
  for (; i > open && !code[i].is(";"); --i) {
    if (code.is_triple(i, "<")) return true;
    if (code.is_triple(i, ">")) return false;
    if (code[i].is(")") || code[i].is("}") || code[i].is("]")) i = code.matching(i);
  }
  return false;
}

// Behind `*` or `&`: a product, or the declaration of a pointer or a reference. In doubt the
// latter: `f(a * n)` looks like a parameter.
bool is_declared_behind_star(const Code& code, std::size_t i) {
  std::size_t type = i - 1;
  while (is_one_of(code[type], {"*", "&", "const", "__restrict__"})) --type;
  if (code[type].is(">")) return code.opening_angle(type) != type;
  if (code[type].is("("))  // `int (*n)[4]`
    return code[i + 1].is(")") && is_one_of(code[i + 2], {"(", "["});
  if (!code[type].is_identifier() || code[type].is("return")) return false;
  return !is_one_of(code[type - 1], {"=", "+", "-", "*", "/", "%", "[", "?", "<", "return"});
}

}  // namespace

std::vector<Declaration> declarations_of(const Code& code) {
  std::vector<Declaration> declarations;
  for (std::size_t i = 0; i < code.size();) {
    const std::size_t brace = opened_namespace(code, i);
    if (brace != 0 || code[i].is("}") || code[i].is(";")) {
      i = std::max(i, brace) + 1;
      continue;
    }
    try {
      const Declaration d = read_declaration(code, i);
      if (!code.in_system_header(i)) declarations.push_back(d);
      i = end_of(code, d);
    } catch (const Error&) {
      break;  // unbalanced brackets, which a later stage reports
    }
  }
  return declarations;
}

std::vector<std::size_t> names_in(const Code& code, const Declaration& d) {
  const std::size_t name = plain_name(code, d.name, d.end);
  if (name == d.begin || !code[name].is_identifier() || code[name - 1].is("::")) return {};
  std::vector<std::size_t> names{name};
  if (code[d.end].is("(")) return names;
  for (std::size_t i = d.end; i < code.size() && !code[i].is(";"); i = skip_group(code, i) + 1) {
    if (!code[i].is(",")) continue;
    while (is_one_of(code[i + 1], {"*", "&"})) ++i;
    if (code[i + 1].is_identifier()) names.push_back(i + 1);
  }
  return names;
}

bool may_be_declared(const Code& code, std::size_t i) {
  const Token& before = code[i - 1];
  if (before.is_identifier()) return !kStatementWords.contains(before.text);
  if (before.is(">")) return code.opening_angle(i - 1) != i - 1;
  if (before.is("*") || before.is("&")) return is_declared_behind_star(code, i);
  if (!is_one_of(before, {",", "[", "{", "}", "]"})) return false;
  const std::size_t open = code.enclosing(i);
  if (code[open].is("["))  // `auto [a, b]`, `[a = 1]`
    return is_one_of(code[open - 1], {"auto", "&"}) || code[i + 1].is("=");
  if (code[open].is("{"))
    return !code[open - 1].is("=") && !is_in_launch(code, open, i) &&
           (before.is(",") || before.is("}") || code[i + 1].is(","));
  return is_one_of(code[i + 1], {"=", ";", ":"});
}

}  // namespace cucpu::lower
