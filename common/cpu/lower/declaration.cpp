#include "declaration.h"

namespace cucpu::lower {
namespace {

// A parameter whose last word is one of these has no name.
const Words kTypeWords = {"typename", "class",    "auto",   "bool",  "char",   "short",  "int",
                          "long",     "unsigned", "signed", "float", "double", "size_t", "void"};
// These alone make no type that a name could follow.
const Words kQualifiers = {"const",    "volatile", "__restrict__", "__restrict",
                           "restrict", "struct",   "union",        "enum",
                           "typename", "class",    "register",     "__grid_constant__"};

bool is_ellipsis(const Code& code, std::size_t i) { return code.is_triple(i, "."); }

// `float (*f)(int)`, `T (&a)[4]`: what is named stands in the parenthesis at i.
bool holds_declarator(const Code& code, std::size_t i) {
  return code[i].is("(") && (code[i + 1].is("*") || code[i + 1].is("&"));
}

void find_name(const Code& code, Parameter& p, bool of_template) {
  p.name_place = p.end;
  for (std::size_t i = p.begin; i < p.end; i = skip_group(code, i) + 1) {
    p.is_pack |= is_ellipsis(code, i);
    if (!holds_declarator(code, i)) continue;
    p.name_place = code.matching(i);
    const std::size_t last = p.name_place - 1;
    if (code[last].is_identifier() && !kQualifiers.contains(code[last].text)) p.name = last;
    return;
  }
  while (p.name_place > p.begin && code[p.name_place - 1].is("]"))
    p.name_place = code.matching(p.name_place - 1);
  const std::size_t last = p.name_place - 1;
  const Token& t = code[last];
  if (!t.is_identifier() || kTypeWords.contains(t.text) || kQualifiers.contains(t.text) ||
      code[last - 1].is("::"))
    return;
  for (std::size_t i = p.begin; i < last; ++i)
    if (of_template || !kQualifiers.contains(code[i].text)) p.name = last;
}

}  // namespace

const Words kDropped = {"__device__",  "__host__",          "__global__",      "__constant__",
                        "__managed__", "__grid_constant__", "__inline_hint__", "__nv_pure__"};
const Words kDroppedWithArguments = {"__launch_bounds__", "__maxnreg__", "__block_size__"};
const Words kTakesArguments = {
    "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__", "__align__",
    "__builtin_align__", "__attribute__",    "__attribute", "__declspec",     "alignas",
    "decltype",          "__typeof__",       "noexcept",    "explicit",       "requires"};

Declaration read_declaration(const Code& code, std::size_t begin) {
  Declaration d;
  d.begin = begin;
  std::size_t i = begin;
  for (; i < code.size(); ++i) {
    const Token& t = code[i];
    if (t.is_identifier()) {
      d.words.insert(t.text);
      if (kTakesArguments.contains(t.text) && code[i + 1].is("(")) {
        i = code.matching(i + 1);
      } else if (t.is("template") && code[i + 1].is("<")) {
        d.template_angle = i + 1;
        i = code.closing_angle(i + 1);
      } else if (!code[i - 1].is("::") || !code[i - 2].is_identifier()) {
        d.name = i;
      }
    } else if (t.is("<")) {
      i = code.closing_angle(i);
    } else if (t.is("[") && code[i + 1].is("[")) {
      i = code.matching(i);
    } else if (!t.is("::") && !t.is("*") && !t.is("&") && t.kind != TokenKind::literal) {
      break;
    }
  }
  d.end = i;
  return d;
}

std::vector<Kernel> kernels_of(const Code& code) {
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].is("__global__") || code.in_system_header(i)) continue;
    std::size_t begin = i;
    while (begin > 0 && !code[begin - 1].is(";") && !code[begin - 1].is("}") &&
           !code[begin - 1].is("{"))
      --begin;
    const Declaration declaration = read_declaration(code, begin);
    if (!code[declaration.end].is("(")) continue;
    std::size_t body = code.matching(declaration.end) + 1;
    while (body < code.size() && !code[body].is("{") && !code[body].is(";")) ++body;
    if (!code[body].is("{")) continue;
    kernels.push_back({declaration, i, body});
    i = code.matching(body);
  }
  return kernels;
}

std::size_t skip_group(const Code& code, std::size_t i) {
  if (code.is_opening(i)) return code.matching(i);
  return code[i].is("<") && code[i - 1].is_identifier() ? code.closing_angle(i) : i;
}

std::vector<Parameter> read_parameters(const Code& code, std::size_t open) {
  const bool of_template = code[open].is("<");
  const std::size_t end = of_template ? code.closing_angle(open) : code.matching(open);
  std::vector<Parameter> parameters;
  if (open + 2 == end && code[open + 1].is("void")) return parameters;
  for (std::size_t i = open + 1; i < end; ++i) {
    Parameter p;
    p.begin = i;
    while (i < end && !code[i].is(",") && !code[i].is("=")) i = skip_group(code, i) + 1;
    p.end = i;
    while (i < end && !code[i].is(",")) i = skip_group(code, i) + 1;
    p.default_end = i;
    find_name(code, p, of_template);
    parameters.push_back(p);
  }
  return parameters;
}

std::string text_of(const Code& code, std::size_t i, std::size_t end) {
  std::string out;
  for (; i < end; ++i) {
    if (kDropped.contains(code[i].text)) continue;
    if (!out.empty() && code[i - 1].end() != code[i].begin) out += ' ';
    out += code[i].text;
  }
  return out;
}

std::string text_of(const Code& code, const Parameter& p, const std::string& name) {
  if (p.name != 0) return text_of(code, p.begin, p.end);
  return text_of(code, p.begin, p.name_place) + " " + name + text_of(code, p.name_place, p.end);
}

std::string kernel_pointer_type(const Code& code, std::size_t open) {
  std::string parameters;
  for (const Parameter& p : read_parameters(code, open))
    parameters += (parameters.empty() ? "" : ", ") + text_of(code, p.begin, p.end);
  return "void (*)(" + parameters + ")";
}

}  // namespace cucpu::lower
