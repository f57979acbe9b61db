#include "judge/build.h"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "judge/process.h"

namespace judge {
namespace {

namespace fs = std::filesystem;

// Files of questions, as messages name them.
constexpr const char* kTypeQuestion = "judge_asks_for_solve";
constexpr const char* kLinkageQuestion = "judge_asks_for_extern_C";

// Compilers take longer than this only where a file makes them.
constexpr double kSecondsToBuild = 120;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\t');)
    if (!word.empty()) words.push_back(word);
  return words;
}

std::string unit_of(const Exercise& exercise, const fs::path& file) {
  const std::string type = exercise.function_type();
  std::ostringstream unit;
  // The file may have a main of its own to be tried with; a driver runs it here.
  unit << "#define main judge_does_not_call_this_main\n"
       << "#include \"" << fs::absolute(file).string() << "\"\n"
       << "#undef main\n"
       << "#line 1 \"" << kTypeQuestion << "\"\n"
       << "template <class Type> struct judge_type;\n"
       << "template <> struct judge_type<" << type << "> { using is_right = int; };\n"
       << "template <> struct judge_type<" << type << " noexcept> { using is_right = int; };\n"
       << "using judge_type_of_solve = judge_type<decltype(solve)>::is_right;\n"
       << "#line 1 \"" << kLinkageQuestion << "\"\n"
       << "extern \"C\" void solve" << type.substr(type.find('(')) << ";\n"
       << "extern \"C\" void judge_call(void* const* judge_arrays, const int* judge_sizes) {\n"
       << "  solve(";
  const char* separator = "";
  for (std::size_t i = 0; i < exercise.arrays.size(); ++i) {
    unit << separator << "static_cast<" << exercise.parameter_type(i) << ">(judge_arrays[" << i
         << "])";
    separator = ", ";
  }
  for (std::size_t i = 0; i < exercise.sizes.size(); ++i) unit << ", judge_sizes[" << i << "]";
  unit << ");\n}\n";
  return unit.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The compiler's messages, without its remarks on how the file was included, and without those that
// follow from another.
std::string tidy(const std::string& output, const fs::path& file, const fs::path& folder,
                 const std::string& shown_as) {
  std::istringstream in(replaced(output, fs::absolute(file).string(), shown_as));
  std::string text;
  for (std::string line; std::getline(in, line);) {
    const bool is_ours = line.find(folder.string()) != std::string::npos ||
                         line.find(kTypeQuestion) != std::string::npos ||
                         line.find(kLinkageQuestion) != std::string::npos;
    const bool is_remark = line.starts_with("In file included from");
    if (!is_ours && !is_remark) text += line + "\n";
  }
  return text;
}

bool has_error_at(const std::string& output, const std::string& file) {
  return std::regex_search(output, std::regex(file + R"([:(]\d+.*error)"));
}

BuildResult explain(const Exercise& exercise, const std::string& output, const fs::path& file,
                    const fs::path& folder, const std::string& shown_as) {
  const std::string wanted = "it must be\n  " + exercise.signature();
  const std::string text = tidy(output, file, folder, shown_as);
  const bool is_wrong_itself =
      has_error_at(replaced(output, fs::absolute(file).string(), "FILE:"), "FILE:");
  if (is_wrong_itself) return {"compile", text};
  if (has_error_at(output, kTypeQuestion)) {
    std::smatch match;
    if (std::regex_search(output, match,
                          std::regex(R"(judge_type<(?!decltype)(.*?\))( noexcept)?>)")))
      return {"signature", "solve has another signature, " + match[1].str() + ": " + wanted};
    if (output.find("overloaded") != std::string::npos)
      return {"signature", "there are several functions called solve: " + wanted};
    return {"signature", "there is no function solve: " + wanted};
  }
  if (has_error_at(output, kLinkageQuestion))
    return {"signature", "solve is not extern \"C\": " + wanted};
  return {"compile", text.empty() ? output : text};
}

}  // namespace

BuildResult build(const Exercise& exercise, const fs::path& file, const std::string& shown_as,
                  const fs::path& folder, const fs::path& program) {
  const fs::path unit = folder / "unit.cu", object = folder / "unit.o";
  std::ofstream(unit) << unit_of(exercise, file);
  std::vector<std::string> compile = words_of(JUDGE_COMPILE);
  compile.insert(compile.end(), {unit.string(), "-o", object.string()});
  const ProcessEnd compiled = run_process(compile, {}, {.all_seconds = kSecondsToBuild}, {});
  if (!compiled.problem.empty()) throw std::runtime_error(compiled.problem);
  if (compiled.stopped != ProcessEnd::Stopped::no)
    return {"compile", "the compiler did not come to an end\n"};
  if (compiled.code != 0 || compiled.signal != 0)
    return explain(exercise, compiled.output, file, folder, shown_as);

  std::vector<std::string> link = words_of(JUDGE_LINK);
  link.insert(link.begin() + 1, object.string());
  link.insert(link.end(), {"-o", program.string()});
  const ProcessEnd linked = run_process(link, {}, {.all_seconds = kSecondsToBuild}, {});
  if (!linked.problem.empty()) throw std::runtime_error(linked.problem);
  // The one thing that can be missing is what the learner's file declares, and does not define.
  if (linked.code != 0 || linked.signal != 0)
    return {"compile", tidy(linked.output, file, folder, shown_as)};
  return {"", tidy(compiled.output, file, folder, shown_as)};
}

}  // namespace judge
