#include "judge/own_code.h"

#include <dlfcn.h>

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "judge/build.h"
#include "judge/folder.h"
#include "judge/process.h"

namespace judge {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsToList = 30;

// The namespaces of the runner and its libraries, and of calls that the compiler makes.
constexpr std::array<std::string_view, 6> kNamespaces = {"cucpu", "judge",   "device",
                                                         "host",  "harness", "problem"};
constexpr std::array<std::string_view, 4> kPrefixes = {"__tsan_", "__ubsan_", "__asan_", "cuda"};

// The namespace of a mangled name such as _ZN5judge3runEv; else empty.
std::string_view namespace_of(std::string_view name) {
  for (const std::string_view prefix : {"_ZN", "_ZNK"}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    for (const std::string_view known : kNamespaces)
      if (rest.starts_with(fmt::format("{}{}", known.size(), known))) return known;
  }
  return {};
}

// A weak definition of a C++ name is an inline function or a template: everybody may have it.
std::string fault_of(const std::string& name, bool is_weak) {
  const bool is_of_cpp = name.starts_with("_Z");
  if (is_weak && is_of_cpp) return {};
  if (name == "main")
    return "the file undefines what the judge makes of main: a main of your own is fine without "
           "that";
  if (const std::string_view space = namespace_of(name); !space.empty())
    return "the file defines something in the namespace " + std::string(space) +
           ", which is the judge's: give yours another name";
  for (const std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix))
      return "the file defines " + name + ", which is the runtime's: give yours another name";
  if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr) return {};
  return "the file defines " + name +
         ", which is the C or C++ library's: give yours another name, or make it static";
}

// The files that a rule of make names after its colon.
std::vector<fs::path> files_in(const fs::path& dependencies) {
  const std::string text = read_file(dependencies);
  std::vector<fs::path> files;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && !word.ends_with(':')) files.emplace_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\n';
    if (c == '\\' && (next == ' ' || next == '#')) {
      word += next;
      ++i;
    } else if (c == '\\' && next == '\n') {
      end_word();
    } else if (c == ' ' || c == '\n') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return files;
}

// steps/STEP/exercises/NAME/solutions/1_x.cu, in whatever tree.
bool is_reference(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return (folder.filename() == "solutions" || folder.filename() == "wrong") &&
         folder.parent_path().parent_path().filename() == "exercises";
}

}  // namespace

std::string taken_name(const fs::path& object) {
  const ProcessEnd listed = run_process({"nm", "-g", "--defined-only", "-P", object.string()},
                                        {.seconds = kSecondsToList});
  if (!listed.is_success()) throw MachineFault("nm cannot read objects: " + listed.output);
  std::istringstream in(listed.output);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name, kind;
    words >> name >> kind;
    const bool is_weak = std::string_view("WwVvu").find(kind) != std::string_view::npos;
    if (std::string fault = fault_of(name, is_weak); !fault.empty()) return fault;
  }
  return {};
}

std::string foreign_code(const fs::path& dependencies, const std::vector<fs::path>& own) {
  for (const fs::path& file : files_in(dependencies)) {
    std::error_code error;
    const auto is_this = [&](const fs::path& other) { return fs::equivalent(file, other, error); };
    const bool is_own = std::any_of(own.begin(), own.end(), is_this);
    const fs::path real = fs::weakly_canonical(file, error);
    if (!is_own && is_reference(real))
      return "the file includes " + real.filename().string() +
             ", a solution that comes with the exercise: write your own";
    if (!JUDGE_WATCHES) continue;
    for (const char* word : {"no_sanitize", "disable_sanitizer"})
      if (read_file(file).find(word) != std::string::npos)
        return std::string(word) +
               " keeps the checkers from seeing what kernels do: leave it out here";
  }
  return {};
}

}  // namespace judge
