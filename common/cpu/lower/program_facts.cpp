#include "program_facts.h"

#include "scope.h"

namespace cucpu::lower {
namespace {

// They may stand between `__device__` and the name of a constructor.
const Words kBeforeConstructor = {"__host__", "__forceinline__", "__noinline__",
                                  "inline",   "constexpr",       "explicit"};

Words constants_of(const Code& code) {
  Words constants;
  std::set<std::size_t> places;
  for (const Declaration& d : declarations_of(code)) {
    const bool is_variable = code[d.end].is("=") || code[d.end].is("{");
    if (!d.has("constexpr") || !is_variable || d.template_angle != 0) continue;
    for (const std::size_t name : names_in(code, d)) {
      constants.insert(code[name].text);
      places.insert(name);
    }
  }
  for (std::size_t i = 0; i < code.size(); ++i)
    if (constants.contains(code[i].text) && !places.contains(i) && !code.in_system_header(i) &&
        may_be_declared(code, i))
      constants.erase(code[i].text);
  return constants;
}

bool is_constructor(const Code& code, std::size_t device) {
  std::size_t i = device + 1;
  while (kBeforeConstructor.contains(code[i].text)) ++i;
  return code[device].is("__device__") && code[i].is_identifier() && code[i + 1].is("(") &&
         !kTakesArguments.contains(code[i].text);
}

bool may_be_called(const Code& code, std::size_t i) {
  const bool has_lambda = code[i + 1].is("=") && code[i + 2].is("[");
  return code[i].is_identifier() && (code[i + 1].is("(") || has_lambda) &&
         !is_one_of(code[i - 1], {",", "[", "]", "{", "}"}) && may_be_declared(code, i);
}

}  // namespace

ProgramFacts read_facts(const Code& code) {
  ProgramFacts facts{constants_of(code), {}, {}, false};
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.in_system_header(i)) continue;
    const bool is_operator = code[i].is("operator") && !code[i + 1].is("(");
    const bool is_mutable = code[i].is("mutable") && code[i + 1].is_identifier();
    facts.has_hidden_calls |= is_operator || is_mutable || is_constructor(code, i);
    if (may_be_called(code, i)) facts.functions.insert(code[i].text);
    if (code[i].is("volatile")) {
      std::size_t name = i;
      while (code[name + 1].is_identifier() || code[name + 1].is("*")) ++name;
      facts.volatiles.insert(code[name].text);
    }
  }
  return facts;
}

}  // namespace cucpu::lower
