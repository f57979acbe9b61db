#include "versions.h"

#include "kernel_names.h"
#include "statements.h"

namespace cucpu::lower {
namespace {

// A body with one of these says in which function it stands; that is how `assert` says it.
const Words kOwnName = {"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"};

// A function of a local class cannot be a template.
bool has_auto(const Code& code, std::size_t open) {
  return mentions(code, open, code.matching(open), "auto");
}

bool says_its_name(const Code& code, const Kernel& kernel) {
  for (std::size_t i = kernel.body; i < code.matching(kernel.body); ++i)
    if (kOwnName.contains(code[i].text)) return true;
  return false;
}

}  // namespace

bool keeps_arrays(const Code& code, const Kernel& kernel) {
  const std::size_t end = code.matching(kernel.body);
  for (std::size_t i = kernel.body; i < end; ++i) {
    if (code[i].is("__shared__")) i = end_of_statement(code, i, end) - 1;
    if (code[i].is("[") && code[i - 2].is_identifier() && is_declared(code, i - 1)) return true;
  }
  return false;
}

bool asks_for_versions(std::string_view preprocessed) {
  return preprocessed.find("kHasVersions") != std::string_view::npos;
}

std::string version_for_avx2(const Code& code, const Kernel& kernel, const std::string& body) {
  const std::size_t open = kernel.declaration.end;
  if (has_auto(code, open) || says_its_name(code, kernel)) return {};
  std::string parameters, arguments;
  for (const Parameter& p : read_parameters(code, open)) {
    if (p.name == 0) continue;
    const std::string name(code[p.name].text), dots = p.is_pack ? "..." : "";
    const std::string comma = parameters.empty() ? "" : ", ";
    parameters += comma + "::cucpu::PassedOn<decltype(" + name + ")>" + dots + " " + name;
    arguments += comma + name + dots;
  }
  const std::size_t plain = plain_name(code, kernel.declaration.name, open);
  const std::string name(code[plain].text);
  return " struct cucpu_avx2 { __attribute__((target(\"avx2\"))) static void " + name + "(" +
         parameters + ") {" + body + "} }; if (::cucpu::has_avx2()) return cucpu_avx2::" + name +
         "(" + arguments + ");";
}

}  // namespace cucpu::lower
