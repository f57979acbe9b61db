#include "versions.h"

#include "kernel_names.h"
#include "statements.h"

namespace cucpu::lower {
namespace {

// A body with one of these says in which function it stands, as `assert` does, or tells an object
// from a reference to it; with the kernel's name, it may mean another kernel of that name.
const Words kDiffers = {"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "decltype"};

// A function of a local class cannot be a template.
bool has_auto(const Code& code, std::size_t open) {
  return mentions(code, open, code.matching(open), "auto");
}

std::string_view name_of(const Code& code, const Kernel& kernel) {
  return code[plain_name(code, kernel.declaration.name, kernel.declaration.end)].text;
}

// `class_name`: of the local class that the function is a member of. `type`: of its parameters.
std::string call(const Code& code, const Kernel& kernel, const std::string& body,
                 const std::string& class_name, const std::string& attribute,
                 const std::string& type, const std::string& condition) {
  std::string parameters, arguments;
  for (const Parameter& p : read_parameters(code, kernel.declaration.end)) {
    if (p.name == 0) continue;
    const std::string name(code[p.name].text), dots = p.is_pack ? "..." : "";
    const std::string comma = parameters.empty() ? "" : ", ";
    parameters += comma + "::cucpu::" + type + "<decltype(" + name + ")>" + dots + " " + name;
    arguments += comma + name + dots;
  }
  const std::string name(name_of(code, kernel));
  return " struct " + class_name + " { " + attribute + "static void " + name + "(" + parameters +
         ") {" + body + "} }; " + condition + "return " + class_name + "::" + name + "(" +
         arguments + ");";
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

bool differs_in_function(const Code& code, const Kernel& kernel) {
  if (has_auto(code, kernel.declaration.end)) return true;
  const std::string_view name = name_of(code, kernel);
  for (std::size_t i = kernel.body; i < code.matching(kernel.body); ++i)
    if (kDiffers.contains(code[i].text) || code[i].is(name)) return true;
  return false;
}

std::string call_for_avx2(const Code& code, const Kernel& kernel, const std::string& body,
                          bool is_constant) {
  return call(code, kernel, body, "cucpu_avx2", "__attribute__((target(\"avx2\"))) ",
              is_constant ? "PassedOnConstant" : "PassedOn", "if (::cucpu::has_avx2()) ");
}

std::string call_of_function(const Code& code, const Kernel& kernel, const std::string& body) {
  return call(code, kernel, body, "cucpu_whole", "", "PassedOnConstant", "");
}

}  // namespace cucpu::lower
