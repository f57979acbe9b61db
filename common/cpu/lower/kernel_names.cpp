#include "kernel_names.h"

namespace cucpu::lower {
namespace {

// The condition in parentheses that follows one of these ends before a statement.
const Words kConditionWords = {"if", "constexpr", "while", "for", "switch"};

bool is_parenthesized(const Code& code, std::size_t i, std::size_t end) {
  return code[i].is("(") && code.matching(i) == end - 1;
}

// Whether `(`, `[`, `.` or `::` at i + 1 would continue an expression that ends at i.
bool ends_operand(const Code& code, std::size_t i) {
  const Token& t = code[i];
  if (t.is(")")) return !kConditionWords.contains(code[code.matching(i) - 1].text);
  if (t.is(">")) return code.opening_angle(i) != i;
  return t.is("]") || (t.is_identifier() && !kStatementWords.contains(t.text));
}

// The first token of the name, call, element or parenthesis that ends at i; none: beyond the end.
std::size_t operand_begin(const Code& code, std::size_t i) {
  while (ends_operand(code, i)) {
    if (code[i].is_identifier()) return i;
    const std::size_t opening = code[i].is(">") ? code.opening_angle(i) : code.matching(i);
    // `(kernel)` rather than `get_kernel()`.
    if (code[i].is(")") && !ends_operand(code, opening - 1)) return opening;
    i = opening - 1;
  }
  return code.size();
}

}  // namespace

const Words kStatementWords = {"return",   "else", "do", "throw", "case", "goto",  "co_return",
                               "co_yield", "and",  "or", "not",   "new",  "sizeof"};

std::size_t plain_name(const Code& code, std::size_t i, std::size_t end) {
  std::size_t name = i;
  for (; i < end; ++i) {
    if (code[i].is("<")) i = code.closing_angle(i);
    if (code[i].is_identifier()) name = i;
    if (code.is_opening(i)) i = code.matching(i);
  }
  return name;
}

bool is_name(const Code& code, std::size_t i, std::size_t end) {
  while (is_parenthesized(code, i, end)) ++i, --end;
  for (; i < end; ++i) {
    if (code[i].is("<")) i = code.closing_angle(i);
    if (!code[i].is_identifier() && !code[i].is("::") && !code[i].is(">")) return false;
  }
  return true;
}

std::size_t plain_name_of_callee(const Code& code, std::size_t i, std::size_t end) {
  while (is_name(code, i, end) && is_parenthesized(code, i, end)) ++i, --end;
  return plain_name(code, i, end);
}

std::string callee_name(const Code& code, std::size_t i, std::size_t end) {
  const Token& name = code[plain_name_of_callee(code, i, end)];
  return name.is_identifier() ? std::string(name.text) : "kernel";
}

std::size_t callee_begin(const Code& code, std::size_t open) {
  for (std::size_t i = open;;) {
    i = operand_begin(code, i - 1);
    if (i >= code.size()) code.fail(open, "'<<<' without a kernel before it");
    if (code[i - 1].is("template")) --i;
    if (code[i - 1].is("::") && !ends_operand(code, i - 2)) return i - 1;
    if (!code[i - 1].is("::") && !code[i - 1].is(".") && !code[i - 1].is("->")) return i;
    --i;
  }
}

bool is_declared(const Code& code, std::size_t i) {
  const Token& before = code[i - 1];
  return before.is("*") || before.is("&") || before.is(">") ||
         (before.is_identifier() && !kStatementWords.contains(before.text));
}

}  // namespace cucpu::lower
