#include "launcher.h"

#include <vector>

#include "kernel_names.h"

namespace cucpu::lower {
namespace {

// Belong to the kernel's own code.
const Words kOfTheKernelOnly = {"__forceinline__", "__noinline__"};

class Launcher {
 public:
  Launcher(const Code& code, const Declaration& kernel, std::size_t body, bool define)
      : code_(code), kernel_(kernel), body_(body), define_(define) {}

  std::string text() const {
    const bool only_here = define_ && !code_[body_].is("{");
    return template_head() + (define_ && !is_template() ? "[[maybe_unused]] " : "") +
           (only_here ? "inline " : "") + specifiers(after_template_head(), kernel_.name) + " " +
           name(kLauncherPrefix) + "(" + parameters() + ") " +
           specifiers(code_.matching(kernel_.end) + 1, body_) + (define_ ? definition() : ";");
  }

 private:
  bool is_template() const { return kernel_.template_angle != 0; }

  std::size_t after_template_head() const {
    return is_template() ? code_.closing_angle(kernel_.template_angle) + 1 : kernel_.begin;
  }

  std::string template_head() const {
    if (!is_template()) return {};
    std::string out;
    int number = 0;
    for (const Parameter& p : read_parameters(code_, kernel_.template_angle))
      out += (out.empty() ? "" : ", ") + with_default(p, type_name(++number));
    return "template <" + out + "> ";
  }

  // The specifiers from i to `end`, without those about the kernel's code or linkage.
  std::string specifiers(std::size_t i, std::size_t end) const {
    std::string out;
    for (; i < end; ++i) {
      const Token& t = code_[i];
      if (kDroppedWithArguments.contains(t.text) || t.is("__attribute__")) {
        i = code_.matching(i + 1);
      } else if (t.is("[") && code_[i + 1].is("[")) {
        i = code_.matching(i);
      } else if (t.is("extern") && code_[i + 1].kind == TokenKind::literal) {
        ++i;
      } else if (!kDropped.contains(t.text) && !kOfTheKernelOnly.contains(t.text)) {
        if (!out.empty() && code_[i - 1].end() != t.begin) out += ' ';
        out += t.text;
      }
    }
    return out;
  }

  // Qualified, with explicit template arguments if it has any.
  std::string name(const std::string& prefix) const {
    const std::size_t plain = plain_name(code_, kernel_.name, kernel_.end);
    return text_of(code_, kernel_.name, plain) + prefix + text_of(code_, plain, kernel_.end);
  }

  std::string parameters() const {
    std::string out = "const ::cucpu::LaunchConfig& cucpu_config";
    int number = 0;
    for (const Parameter& p : read_parameters(code_, kernel_.end))
      out += ", " + with_default(p, argument_name(++number));
    return out;
  }

  std::string definition() const {
    std::string types, arguments;
    int number = 0;
    if (is_template())
      for (const Parameter& p : read_parameters(code_, kernel_.template_angle))
        types += (types.empty() ? "" : ", ") + use_of(p, type_name(++number));
    number = 0;
    for (const Parameter& p : read_parameters(code_, kernel_.end))
      arguments += ", " + use_of(p, argument_name(++number));
    const std::string kernel = "static_cast<" + kernel_pointer_type(code_, kernel_.end) + ">(&" +
                               name("") + (is_template() ? "<" + types + ">" : "") + ")";
    const std::size_t plain = plain_name(code_, kernel_.name, kernel_.end);
    return "{ ::cucpu::launch_kernel(cucpu_config, \"" + std::string(code_[plain].text) +
           "\", [](auto&... cucpu_args) { " + kernel + "(cucpu_args...); }, " + kernel + arguments +
           "); }";
  }

  std::string with_default(const Parameter& p, const std::string& generated) const {
    const std::string initializer = text_of(code_, p.end, p.default_end);
    return text_of(code_, p, generated) + (initializer.empty() ? "" : " ") + initializer;
  }

  std::string use_of(const Parameter& p, const std::string& generated) const {
    return (p.name != 0 ? std::string(code_[p.name].text) : generated) + (p.is_pack ? "..." : "");
  }

  static std::string type_name(int number) { return "cucpu_type_" + std::to_string(number); }
  static std::string argument_name(int number) { return "cucpu_arg_" + std::to_string(number); }

  const Code& code_;
  const Declaration& kernel_;
  std::size_t body_;
  bool define_;
};

}  // namespace

std::string launcher(const Code& code, const Declaration& kernel, std::size_t body, bool define) {
  const bool is_specialization =
      kernel.template_angle != 0 && code[kernel.template_angle + 1].is(">");
  return is_specialization ? std::string() : Launcher(code, kernel, body, define).text();
}

}  // namespace cucpu::lower
