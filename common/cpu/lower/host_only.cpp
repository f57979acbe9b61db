#include "host_only.h"

#include "scope.h"

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

}  // namespace

HostOnly::HostOnly(const Code& code) : code_(code) {
  for (const Declaration& d : declarations_of(code)) note(d);
  drop_ambiguous_names();
}

void HostOnly::note(const Declaration& d) {
  const bool is_function = code_[d.end].is("(") && !code_[d.end + 1].is("*");
  if (!is_function && !is_one_of(code_[d.end], {"=", ";", "[", "{", ","})) return;
  const bool is_of_host =
      !has_any(d, is_function ? kNoFunctions : kNoVariables) && !has_any(d, kOfDevice);
  for (const std::size_t name : names_in(code_, d))
    note_name(name, is_function ? Kind::function : Kind::variable, is_of_host);
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
  return is_function ? name + "host function, which device code cannot call; declare it __device__"
                     : name +
                           "host variable, which device code cannot use; declare it __device__, "
                           "__constant__ or constexpr";
}

}  // namespace cucpu::lower
