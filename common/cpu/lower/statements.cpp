#include "statements.h"

#include "kernel_names.h"
#include "scope.h"

namespace cucpu::lower {
namespace {

const Words kNoTypes = {"if",     "else",  "for",    "while",    "do",   "switch", "case",
                        "return", "break", "sizeof", "continue", "goto", "default"};

// Behind the ) of `if (...)`, `for (...)`.
std::size_t behind_condition(const Code& code, std::size_t i, std::size_t end) {
  while (i < end && !code[i].is("(")) ++i;
  return i < end ? code.matching(i) + 1 : end;
}

// Behind the `*`, `const` and `__restrict__` between a type and a name.
std::size_t skip_pointers(const Code& code, std::size_t i, Local& local) {
  for (;; ++i) {
    if (code[i].is("*")) {
      if (!local.is_pointer && local.is_const) local.type = "const " + local.type;
      local.is_pointer = true;
      local.is_const = false;
      local.type += '*';
    } else if (code[i].is("const")) {
      local.is_const = true;
    } else if (!code[i].is("__restrict__") && !code[i].is("__restrict")) {
      return i;
    }
  }
}

// Behind the token or the group in brackets at i. `<` compares, except in casts: `a < b, c = d > e`
// has no template arguments.
std::size_t behind_value(const Code& code, std::size_t i) {
  if (code[i].is("<") && !code[i - 1].text.ends_with("_cast")) return i + 1;
  return skip_group(code, i) + 1;
}

// The type at i, without its const; `i` moves behind it. Empty if none stands there.
std::string read_type(const Code& code, std::size_t& i, Local& local) {
  std::string type;
  bool is_named = false;
  for (;; ++i) {
    const Token& t = code[i];
    if (t.is("const") || t.is("constexpr")) {
      local.is_const = true;
      continue;
    }
    const bool is_arithmetic = kArithmeticTypes.contains(t.text);
    if (!t.is_identifier() || kNoTypes.contains(t.text)) break;
    if (is_arithmetic ? is_named && !local.is_scalar : is_named) break;
    type.append(type.empty() ? "" : " ").append(t.text);
    is_named = true;
    local.is_scalar = is_arithmetic;
    if (is_arithmetic) continue;
    while (code[i + 1].is("::")) {
      type.append("::").append(code[i + 2].text);
      local.is_scalar = kArithmeticTypes.contains(code[i + 2].text);
      i += 2;
    }
  }
  return type;
}

}  // namespace

const Words kArithmeticTypes = {"bool",     "char",     "short",    "int",       "long",
                                "unsigned", "signed",   "float",    "double",    "size_t",
                                "int8_t",   "int16_t",  "int32_t",  "int64_t",   "uint8_t",
                                "uint16_t", "uint32_t", "uint64_t", "ptrdiff_t", "uint"};

std::size_t end_of_statement(const Code& code, std::size_t i, std::size_t end) {
  const Token& t = code[i];
  if (i >= end) return end;
  if (t.is("{")) return code.matching(i) + 1;
  if (t.is("for") || t.is("while") || t.is("switch"))
    return end_of_statement(code, behind_condition(code, i, end), end);
  if (t.is("if")) {
    const std::size_t next = end_of_statement(code, behind_condition(code, i, end), end);
    return code[next].is("else") && next < end ? end_of_statement(code, next + 1, end) : next;
  }
  if (t.is("do")) i = end_of_statement(code, i + 1, end);
  while (i < end && !code[i].is(";")) i = code.is_opening(i) ? code.matching(i) + 1 : i + 1;
  return i < end ? i + 1 : end;
}

bool begins_statement(const Code& code, std::size_t i) {
  const Token& before = code[i - 1];
  if (before.is(")")) {
    const Token& head = code[code.matching(i - 1) - 1];
    return is_one_of(head, {"if", "constexpr", "for", "while", "switch"});
  }
  return is_one_of(before, {";", "{", "}", "else", "do"});
}

std::optional<std::vector<Local>> read_locals(const Code& code, std::size_t i, std::size_t end) {
  std::vector<Local> locals;
  Local first;
  const std::string type = read_type(code, i, first);
  // `x = 1;`, `f(x);`, `a[i] += 2;`: no type, or no name behind it.
  if (type.empty()) return locals;
  const bool may_declare = code[i].is_identifier() || code[i].is("*");
  if (!may_declare && !first.is_const && !first.is_scalar) {
    const bool is_expression = !code[i].is("&") && !code[i].is("<") && type != "auto";
    return is_expression ? std::optional(locals) : std::nullopt;
  }
  for (;; ++i) {
    Local local = first;
    local.type = type;
    i = skip_pointers(code, i, local);
    if (!code[i].is_identifier()) return std::nullopt;
    local.name = code[i++].text;
    if (code[i].is("[")) {
      local.is_array = true;
      local.is_scalar = local.is_pointer = false;
      while (code[i].is("[")) i = code.matching(i) + 1;
    } else {
      local.is_scalar |= local.is_pointer;
    }
    if (code[i].is("=")) {
      local.init_begin = ++i;
      while (i < end && !code[i].is(",") && !code[i].is(";")) i = behind_value(code, i);
      local.init_end = i;
    }
    locals.push_back(local);
    if (code[i].is(";")) return locals;
    if (!code[i].is(",") || i >= end) return std::nullopt;
  }
}

bool may_be_cast(const Code& code, std::size_t i) {
  if (!code[i].is(")")) return false;
  const std::size_t open = code.matching(i);
  const Token& before = code[open - 1];
  const bool is_behind_name = before.is_identifier() && !before.is("return");
  if (is_behind_name || before.is(")") || before.is("]") || before.is(">")) return false;
  for (std::size_t j = open + 1; j < i; ++j) {
    const Token& t = code[j];
    if (!t.is_identifier() && !t.is("*") && !t.is("::") && !t.is("<") && !t.is(">")) return false;
  }
  return true;
}

bool takes_address(const Code& code, std::size_t i, std::size_t end, std::string_view variable) {
  for (; i < end; ++i) {
    const bool is_element = code[i + 1].is("[") || code[i + 1].is("->");  // of what it points to
    if (!code[i].is(variable) || !code[i - 1].is("&") || is_element) continue;
    const Token& left = code[i - 2];  // of the `and`, if it is one
    const bool is_binary = left.is("&") || left.is("]") || left.is_identifier() ||
                           (left.is(")") && !may_be_cast(code, i - 2)) ||
                           left.kind == TokenKind::literal;
    if (!is_binary) return true;
  }
  return false;
}

bool is_assigned(const Code& code, std::size_t i) {
  const Token &t = code[i], &next = code[i + 1];
  if (t.is("=")) return !next.is("=");
  for (const char* sign : {"+", "-"})
    if (t.is(sign) && next.is(sign) && t.end() == next.begin) return true;
  for (const char* sign : {"+", "-", "*", "/", "%", "&", "|", "^"})
    if (t.is(sign) && next.is("=") && t.end() == next.begin) return true;
  for (const char* sign : {"<", ">"})
    if (t.is(sign) && next.is(sign) && code[i + 2].is("=")) return true;
  return false;
}

namespace {

// Whether the part of the variable that is named at i is assigned to: `v.x = 1`, `v.w[2] += 1`; or
// may be, by a member function.
bool changes_part(const Code& code, std::size_t i, bool is_pointer) {
  if (is_pointer && code[i + 1].is("[")) return false;
  for (++i; code[i].is(".") || code[i].is("[");) {
    i = code[i].is("[") ? code.matching(i) + 1 : i + 2;
    if (code[i].is("(")) return true;
  }
  return is_assigned(code, i);
}

}  // namespace

bool may_modify(const Code& code, std::size_t i, std::size_t end, std::string_view variable,
                bool is_pointer) {
  if (takes_address(code, i, end, variable)) return true;
  for (; i < end; ++i) {
    if (!code[i].is(variable) || code[i - 1].is(".") || code[i - 1].is("->")) continue;
    const Token &before = code[i - 1], &after = code[i + 1];
    if (before.is("(") && after.is(")") && !code[i - 2].is_identifier()) return true;  // (a)++
    for (const char* sign : {"+", "-"})
      if (before.is(sign) && code[i - 2].is(sign) && code[i - 2].end() == before.begin) return true;
    if (changes_part(code, i, is_pointer)) return true;
  }
  return false;
}

bool mentions(const Code& code, std::size_t i, std::size_t end, std::string_view word) {
  for (; i < end; ++i)
    if (code[i].is(word)) return true;
  return false;
}

}  // namespace cucpu::lower
