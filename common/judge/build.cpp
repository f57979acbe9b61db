#include "judge/build.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "judge/own_code.h"
#include "judge/process.h"

namespace judge {
namespace {

namespace fs = std::filesystem;

// Files of questions, as messages name them.
constexpr const char* kTypeQuestion = "<judge_asks_for_solve>";
constexpr const char* kLinkageQuestion = "<judge_asks_for_extern_C>";

// Compilers take more than this only where a file makes them, or a machine is very slow.
constexpr double kSecondsToBuild = 120;
constexpr std::size_t kMemoryToBuild = std::size_t{4} << 30;

ProcessLimits build_limits() {
  const char* const seconds = std::getenv("JUDGE_SECONDS_TO_BUILD");
  const double given = seconds == nullptr ? 0 : std::strtod(seconds, nullptr);
  return {.seconds = given > 0 ? given : kSecondsToBuild, .memory_bytes = kMemoryToBuild};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\t');)
    if (!word.empty()) words.push_back(word);
  return words;
}

bool is_plain(const fs::path& path) {
  const std::string name = path.string();
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 0x80 &&
           (std::isalnum(c) != 0 ||
            std::string_view("/._-+,=@~").find(static_cast<char>(c)) != std::string_view::npos);
  });
}

// --- the unit ------------------------------------------------------------------------------------

// The headers that learners' files include: several files are each in a namespace of its own, in
// which no header may be.
constexpr std::array kHeaders = {"cuda_runtime.h", "math.h",  "float.h",  "limits.h",
                                 "stdint.h",       "stdio.h", "stdlib.h", "string.h",
                                 "algorithm",      "cfloat",  "climits",  "cmath",
                                 "cstddef",        "cstdint", "cstdio",   "cstdlib",
                                 "limits",         "utility", "vector",   "cooperative_groups.h"};

std::string name_of_solve(std::size_t index, std::size_t count) {
  return count == 1 ? "solve" : fmt::format("judge_solve_{}", index);
}

void write_file(std::ostream& unit, const Exercise& exercise, const fs::path& file,
                const std::string& solve) {
  const std::string type = exercise.function_type();
  // The file may have a main of its own to be tried with; a runner runs it here.
  unit << "#define main judge_does_not_call_this_main\n"
       << "#include \"" << file.string() << "\"\n"
       << "#undef main\n"
       << "#line 1 \"" << kTypeQuestion << "\"\n"
       << "template <class Type> struct judge_type;\n"
       << "template <> struct judge_type<" << type << "> { using is_right = int; };\n"
       << "template <> struct judge_type<" << type << " noexcept> { using is_right = int; };\n"
       << "using judge_type_of_solve = judge_type<decltype(" << solve << ")>::is_right;\n"
       << "#line 1 \"" << kLinkageQuestion << "\"\n"
       << "extern \"C\" void " << solve << type.substr(type.find('(')) << ";\n";
}

void write_call(std::ostream& unit, const Exercise& exercise, const std::string& solve) {
  unit << "  " << solve << "(";
  const char* separator = "";
  for (std::size_t i = 0; i < exercise.arrays.size(); ++i) {
    unit << separator << "static_cast<" << exercise.parameter_type(i) << ">(judge_arrays[" << i
         << "])";
    separator = ", ";
  }
  for (std::size_t i = 0; i < exercise.sizes.size(); ++i) unit << ", judge_sizes[" << i << "]";
  unit << ");\n";
}

std::string unit_of(const Exercise& exercise, const std::vector<fs::path>& files) {
  std::ostringstream unit;
  const std::size_t count = files.size();
  if (count == 1) {
    write_file(unit, exercise, files.front(), "solve");
  } else {
    for (const char* header : kHeaders) unit << "#include <" << header << ">\n";
    for (std::size_t i = 0; i < count; ++i) {
      const std::string solve = name_of_solve(i, count);
      unit << "#define solve " << solve << "\nnamespace judge_solution_" << i << " {\n";
      write_file(unit, exercise, files[i], solve);
      unit << "}\n#undef solve\n";
    }
  }
  unit << "extern \"C\" void judge_call(void* const* judge_arrays, const int* judge_sizes) {\n";
  if (count > 1) unit << "  switch (atoi(getenv(\"JUDGE_SOLUTION\"))) {\n";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string space = count == 1 ? "" : fmt::format("judge_solution_{}::", i);
    if (count > 1) unit << "  case " << i << ":\n";
    write_call(unit, exercise, space + name_of_solve(i, count));
    if (count > 1) unit << "  break;\n";
  }
  unit << (count > 1 ? "  }\n}\n" : "}\n");
  return unit.str();
}

// --- names ---------------------------------------------------------------------------------------

// The compiler's name for each file. A name with quotes, line breaks or other characters that
// compilers and makefiles stumble over is hidden behind a link; headers beside it are found there.
std::vector<fs::path> plain_names(const std::vector<Source>& sources, const fs::path& folder,
                                  std::vector<std::string>& flags) {
  std::vector<fs::path> names;
  for (const Source& source : sources) {
    const fs::path file = fs::absolute(source.file);
    if (is_plain(file)) {
      names.push_back(file);
      continue;
    }
    const fs::path place = folder / fmt::format("source{}", names.size());
    fs::create_directory(place);
    fs::create_symlink(file, place / "solution.cu");
    fs::create_directory_symlink(file.parent_path(), place / "beside");
    flags.insert(flags.end(), {"-I", (place / "beside").string()});
    names.push_back(place / "solution.cu");
  }
  return names;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// --- what compilers say --------------------------------------------------------------------------

// The compiler's output, without its remarks on how the file was included, and without whatever
// follows from a question's answer.
std::string tidy(std::string output, const std::vector<Source>& sources,
                 const std::vector<fs::path>& names, const fs::path& folder) {
  for (std::size_t i = 0; i < sources.size(); ++i)
    output = replaced(std::move(output), names[i].string(), sources[i].shown_as);
  std::istringstream in(output);
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

// Lines that no solution can be the cause of, and what they mean.
void throw_if_machine_fault(const ProcessEnd& end, const std::vector<fs::path>& names,
                            const fs::path& folder) {
  if (end.signal != 0)
    throw MachineFault(fmt::format(
        "the compiler was killed (signal {}), and not by the judge: try again", end.signal));
  constexpr std::uintmax_t kRoom = std::uintmax_t{1} << 20;
  std::error_code error;
  if (const fs::space_info space = fs::space(folder, error); !error && space.available < kRoom)
    throw MachineFault("the disk is full where temporary files go: " + folder.string());
  if (end.output.empty())
    throw MachineFault("the compiler failed and says nothing: it was killed, and not by the judge");
  static constexpr std::array<std::pair<const char*, const char*>, 13> kFaults = {{
      {"undefined reference to `cucpu::", "the build folder is not complete"},
      {"No space left on device", "the disk is full where temporary files go"},
      {"Disk quota exceeded", "the disk's quota is used up where temporary files go"},
      {"File too large", "files may not become large enough here (ulimit -f)"},
      {"File size limit exceeded", "files may not become large enough here (ulimit -f)"},
      {"cannot be run:", "the compiler cannot be run"},
      {"installation problem", "the compiler is not completely installed"},
      {"Failed to preprocess host compiler", "the compiler that nvcc calls cannot be run"},
      {"Killed signal terminated", "the compiler was killed, and not by the judge: try again"},
      {"died due to signal 9", "the compiler was killed, and not by the judge: try again"},
      {"virtual memory exhausted", "the compiler gets no more memory (ulimit -v?)"},
      {"out of memory allocating", "the compiler gets no more memory (ulimit -v?)"},
      {"Cannot allocate memory", "the compiler gets no more memory (ulimit -v?)"},
  }};
  std::istringstream in(end.output);
  for (std::string line; std::getline(in, line);) {
    static const std::regex quoted(R"( *\d* \|.*)");
    const bool is_theirs = std::regex_match(line, quoted) ||
                           std::any_of(names.begin(), names.end(), [&](const fs::path& name) {
                             return line.starts_with(name.string());
                           });
    if (is_theirs) continue;  // such as an #error with these words
    if (line == "Killed")     // by the shell that nvcc calls
      throw MachineFault("the compiler was killed, and not by the judge: try again");
    for (const auto& [words, meaning] : kFaults)
      if (line.find(words) != std::string::npos)
        throw MachineFault(std::string(meaning) + ": " + line);
  }
}

// Why a compiler or linker was stopped by the judge; empty if it was not.
std::string stop_of(const ProcessEnd& end) {
  if (end.stopped == ProcessEnd::Stopped::time)
    return fmt::format(
        "the compiler does not come to an end with this file: stopped after {:g} s\n",
        build_limits().seconds);
  if (end.stopped == ProcessEnd::Stopped::memory)
    return "the compiler takes more than 4 GiB of memory for this file: stopped\n";
  return {};
}

BuildResult explain(const Exercise& exercise, const std::string& output,
                    const std::vector<Source>& sources, const std::vector<fs::path>& names,
                    const fs::path& folder) {
  const std::string wanted = "it must be\n  " + exercise.signature();
  const std::string text = tidy(output, sources, names, folder);
  const bool is_wrong_itself =
      has_error_at(replaced(output, names.front().string(), "FILE:"), "FILE:");
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

BuildResult build(const Exercise& exercise, const std::vector<Source>& sources,
                  const fs::path& folder, const fs::path& program) {
  if (!is_plain(folder))
    throw MachineFault(folder.string() +
                       ": temporary files need a folder whose name has nothing but letters, "
                       "digits and ._-+,=@~ (TMPDIR)");
  const fs::path unit = folder / "unit.cu", object = folder / "unit.o",
                 dependencies = folder / "unit.d";
  std::vector<std::string> compile = words_of(JUDGE_COMPILE);
  const std::vector<fs::path> names = plain_names(sources, folder, compile);
  std::ofstream out(unit);
  out << unit_of(exercise, names);
  if (!out.flush()) throw MachineFault(unit.string() + ": cannot be written: is the disk full?");

  compile.insert(compile.end(),
                 {"-MMD", "-MF", dependencies.string(), unit.string(), "-o", object.string()});
  const ProcessEnd compiled = run_process(compile, build_limits());
  if (std::string stopped = stop_of(compiled); !stopped.empty())
    return {"compile", std::move(stopped)};
  if (!compiled.is_success()) {
    throw_if_machine_fault(compiled, names, folder);
    return explain(exercise, compiled.output, sources, names, folder);
  }
  if (std::string fault = foreign_code(dependencies, names); !fault.empty())
    return {"forged", std::move(fault)};
  if (std::string fault = taken_name(object); !fault.empty()) return {"forged", std::move(fault)};

  std::vector<std::string> link = words_of(JUDGE_LINK);
  link.insert(link.begin() + 1, object.string());
  link.insert(link.end(), {"-o", program.string()});
  const ProcessEnd linked = run_process(link, build_limits());
  if (std::string stopped = stop_of(linked); !stopped.empty())
    return {"compile", std::move(stopped)};
  // The one thing that can be missing is what the learner's file declares, and does not define.
  if (!linked.is_success()) {
    throw_if_machine_fault(linked, names, folder);
    return {"compile", tidy(linked.output, sources, names, folder)};
  }
  return {"", tidy(compiled.output, sources, names, folder), names};
}

}  // namespace judge
