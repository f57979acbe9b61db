#include "host_only.h"

#include <algorithm>

#include "kernel_names.h"

namespace cucpu::lower {
namespace {

// Declarations with one of these declare something else, or what device code may use.
const Words kNoFunctions = {"using",   "typedef",  "friend",    "namespace",
                            "concept", "operator", "constexpr", "consteval"};
const Words kNoVariables = {"using",    "typedef", "template", "class",     "struct",
                            "union",    "enum",    "friend",   "namespace", "concept",
                            "operator", "auto",    "const",    "constexpr", "constinit"};
const Words kOfDevice = {"__device__", "__global__", "__constant__", "__managed__", "__shared__"};
// The parenthesis behind one of these is not evaluated.
const Words kUnevaluated = {"sizeof", "decltype", "alignof", "noexcept", "typeid", "__typeof__"};

bool has_any(const Declaration& d, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return d.has(w); });
}

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

bool is_unevaluated(const Code& code, std::size_t i) {
  if (code[i - 1].is("sizeof")) return true;
  for (; i > 0 && !code[i].is(";") && !code[i].is("{") && !code[i].is("}"); --i) {
    if (code[i].is(")") || code[i].is("]"))
      i = code.matching(i);
    else if (code[i].is("(") && kUnevaluated.contains(code[i - 1].text))
      return true;
  }
  return false;
}

// `f(`, `f<int>(`
bool is_called(const Code& code, std::size_t i) {
  return code[i + 1].is("(") ||
         (code[i + 1].is("<") && code[code.closing_angle(i + 1) + 1].is("("));
}

// The bracket that the token at i stands in; an empty one if there is none.
std::size_t enclosing(const Code& code, std::size_t i) {
  while (i-- > 0) {
    if (code[i].is(")") || code[i].is("]") || code[i].is("}"))
      i = code.matching(i);
    else if (code.is_opening(i))
      return i;
  }
  return code.size();
}

bool is_one_of(const Token& t, std::initializer_list<std::string_view> texts) {
  return std::any_of(texts.begin(), texts.end(), [&](std::string_view s) { return t.is(s); });
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

// Whether the identifier at i may be declared there, as whatever it is.
bool may_be_declared(const Code& code, std::size_t i) {
  const Token& before = code[i - 1];
  if (before.is_identifier()) return !kStatementWords.contains(before.text);
  if (before.is(">")) return code.opening_angle(i - 1) != i - 1;
  if (before.is("*") || before.is("&")) return is_declared_behind_star(code, i);
  if (!is_one_of(before, {",", "[", "{", "}", "]"})) return false;
  const std::size_t open = enclosing(code, i);
  if (code[open].is("[")) return code[open - 1].is("auto") || code[open - 1].is("&");
  if (code[open].is("{")) return before.is(",") || before.is("}") || code[i + 1].is(",");
  return is_one_of(code[i + 1], {"=", ";", ":"});
}

}  // namespace

HostOnly::HostOnly(const Code& code) : code_(code) {
  for (std::size_t i = 0; i < code.size();) {
    const std::size_t brace = opened_namespace(code, i);
    if (brace != 0 || code[i].is("}") || code[i].is(";")) {
      i = std::max(i, brace) + 1;
      continue;
    }
    const Declaration d = read_declaration(code, i);
    if (!code.in_system_header(i)) note(d);
    i = end_of(code, d);
  }
  drop_ambiguous_names();
}

void HostOnly::note(const Declaration& d) {
  const std::size_t name = plain_name(code_, d.name, d.end);
  if (name == d.begin || !code_[name].is_identifier() || code_[name - 1].is("::")) return;
  const bool is_function = code_[d.end].is("(") && !code_[d.end + 1].is("*");
  const bool is_of_host =
      !has_any(d, is_function ? kNoFunctions : kNoVariables) && !has_any(d, kOfDevice);
  if (is_function) return note_name(name, Kind::function, is_of_host);
  if (!is_one_of(code_[d.end], {"=", ";", "[", "{", ","})) return;
  note_name(name, Kind::variable, is_of_host);
  // `int a = 1, *b;`
  for (std::size_t i = d.end; i < code_.size() && !code_[i].is(";"); i = skip_group(code_, i) + 1) {
    if (!code_[i].is(",")) continue;
    while (is_one_of(code_[i + 1], {"*", "&"})) ++i;
    if (code_[i + 1].is_identifier()) note_name(i + 1, Kind::variable, is_of_host);
  }
}

void HostOnly::note_name(std::size_t name, Kind kind, bool is_of_host) {
  const std::string_view text = code_[name].text;
  declared_at_.insert(name);
  if (!is_of_host) others_.insert(text);
  const auto [entry, is_new] = names_.emplace(text, kind);
  if (!is_new && entry->second != kind) others_.insert(text);
}

void HostOnly::drop_ambiguous_names() {
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const auto found = names_.find(code_[i].text);
    if (found == names_.end() || declared_at_.contains(i)) continue;
    if (!may_be_declared(code_, i)) continue;
    // The system may have functions of that name for the device.
    const bool is_other =
        !code_.in_system_header(i) || (found->second == Kind::function && code_[i + 1].is("("));
    if (is_other) others_.insert(found->first);
  }
  for (const std::string_view name : others_) names_.erase(name);
}

std::optional<std::string> HostOnly::error_at(std::size_t i) const {
  const auto found = names_.find(code_[i].text);
  if (found == names_.end() || declared_at_.contains(i)) return std::nullopt;
  if (is_one_of(code_[i - 1], {".", "->", "::"}) || code_[i + 1].is("::")) return std::nullopt;
  const bool is_function = found->second == Kind::function;
  if (is_function && !is_called(code_, i)) return std::nullopt;
  if (is_unevaluated(code_, i)) return std::nullopt;
  const std::string name = "'" + std::string(found->first) + "' is a ";
  return is_function ? name +
                           "function of the host, which device code cannot call; declare it "
                           "__device__"
                     : name +
                           "variable of the host, which device code cannot use; declare it "
                           "__device__, __constant__ or constexpr";
}

}  // namespace cucpu::lower
