#include "compiler.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "exit.h"
#include "files.h"
#include "host/command.h"
#include "lower.h"
#include "passes.h"
#include "preprocessor_messages.h"
#include "whole_blocks.h"

namespace cucpu {
namespace {

namespace fs = std::filesystem;

// As a literal of C++.
std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << std::quoted(text);
  return std::move(out).str();
}

}  // namespace

Compiler::Compiler(const CommandLine& line)
    : line_(line), commands_(line.dry_run, line.verbose), compiler_(line.host_compiler) {
  const char* environment = std::getenv("CXX");
  if (compiler_.empty() && environment != nullptr) compiler_ = split(environment, ' ');
  if (compiler_.empty()) compiler_ = split(CUCPU_CXX, ' ');
}

bool Compiler::is_gcc() const {
  // Any word: the first one may be that of a compiler cache.
  return std::none_of(compiler_.begin(), compiler_.end(), [](const std::string& word) {
    return fs::path(word).filename().string().find("clang") != std::string::npos;
  });
}

bool Compiler::is_c(const Input& input) {
  return input.kind == Input::Kind::host_source && fs::path(input.text).extension() == ".c";
}

std::string Compiler::temporary_file(const std::string& suffix, std::string_view content) {
  const std::string path = (folder_.path() / (std::to_string(files_++) + suffix)).string();
  write_file(path, content);
  return path;
}

std::string Compiler::temporary_object(const Input& input) {
  return (folder_.path() /
          (std::to_string(files_++) + "-" + fs::path(input.text).stem().string() + ".o"))
      .string();
}

std::string Compiler::compile(const Input& input, bool traced, const std::string& object) {
  Words command = is_c(input) ? c_compiler_command() : compiler_command();
  const std::string lowered = temporary_object(input) + ".lowered.ii";
  bool has_whole_blocks = false;
  if (input.kind == Input::Kind::cuda) {
    has_whole_blocks = lower(input.text, lowered, traced);
    if (traced) append(command, split(CUCPU_TRACED_ARGS, ' '));
    append(command, {"-x", "c++-cpp-output", "-c", lowered});
  } else {
    append(command, line_.preprocessor_flags);
    append(command, {"-isystem", CUCPU_INCLUDE_DIR});
    if (is_c(input)) append(command, {"-x", "c"});
    append(command, {"-c", input.text});
  }
  // Vectors are not passed in registers there.
  if (traced) append(command, {"-DCUCPU_TRACED"});
  // All has been said when the program itself was compiled.
  if (traced && !line_.traced) append(command, {"-w"});
  append(command, {"-o", object});
  if (has_whole_blocks) {
    if (succeeds(command)) return object;
    // The messages must be about each kernel once, and about what the user has written.
    lower(input.text, lowered, traced, false);
  }
  commands_.execute(command);
  return object;
}

bool Compiler::succeeds(const Words& command) const {
  const std::string messages = (folder_.path() / "messages").string();
  try {
    commands_.execute(command, messages);
  } catch (const Exit&) {
    if (host::interruption() != 0) throw;
    return false;
  }
  std::cerr << read_file(messages);
  return true;
}

bool Compiler::is_for_debugger() const {
  return std::any_of(line_.flags.begin(), line_.flags.end(),
                     [](const std::string& flag) { return flag.starts_with("-g"); });
}

Words Compiler::compiler_command() const {
  Words command = compiler_;
  // CUDA programs look at memory through pointers of other types, which nvcc lets them do.
  append(command, {"-std=c++20", "-O3", "-fno-strict-aliasing", "-pthread"});
  append(command, split(CUCPU_SANITIZER_ARGS, ' '));
  append(command, line_.flags);
  return command;
}

Words Compiler::c_compiler_command() const {
  Words command = compiler_;
  append(command, {"-std=gnu17", "-O3", "-fno-strict-aliasing", "-pthread"});
  for (const std::string& flag : line_.flags)
    if (!flag.starts_with("-std=")) command.push_back(flag);
  return command;
}

bool Compiler::lower(const std::string& file, const std::string& lowered, bool traced,
                     bool whole_blocks) {
  const std::string preprocessed =
      (folder_.path() / (fs::path(file).filename().string() + ".ii")).string();
  Words command = preprocessor_command(traced);
  if (!line_.dependency_flag.empty()) append_dependency_flags(command, file);
  append(command, {"-x", "c++", "-E", file, "-o", preprocessed});
  preprocess(command);
  if (line_.dry_run) return false;
  try {
    std::string text = read_file(preprocessed);
    if (lower::may_differ_on_device(text))
      text = lower::merge_passes(text, preprocessed_for_device(file, traced));
    const std::string whole =
        traced || is_for_debugger() || !whole_blocks ? text : lower::with_whole_blocks(text);
    write_file(lowered, lower::lower(whole, {line_.shared_device_variables, traced}));
    return whole != text;
  } catch (const lower::Error& error) {
    std::cerr << error.what() << '\n';
    throw Exit{1};
  }
}

std::string Compiler::preprocessed_for_device(const std::string& file, bool traced) {
  const std::string preprocessed =
      (folder_.path() / (fs::path(file).filename().string() + ".device.ii")).string();
  Words command = preprocessor_command(traced);
  append(command, {"-w", "-D__CUDA_ARCH__=900", "-x", "c++", "-E", file, "-o", preprocessed});
  preprocess(command);
  return read_file(preprocessed);
}

Words Compiler::preprocessor_command(bool traced) const {
  Words command = compiler_command();
  append(command, line_.preprocessor_flags);
  append(command, {"-D__CUCPU__", "-D__CUDACC__", "-D__CUDACC_EXTENDED_LAMBDA__",
                   "-D__CUDACC_RELAXED_CONSTEXPR__",
                   // Tells the program where the names of its sources begin.
                   "-DCUCPU_COMPILED_IN=" + quoted(fs::current_path().string()), "-isystem",
                   CUCPU_INCLUDE_DIR,
                   // nvcc includes cuda_runtime.h by itself.
                   "-include", "cuda_runtime.h", "-include", "cucpu/lowered.h"});
  if (traced) append(command, {"-DCUCPU_TRACED"});
  if (traced && !line_.traced) append(command, {"-w"});
  return command;
}

void Compiler::append_dependency_flags(Words& command, const std::string& file) const {
  const std::string target = !line_.output.empty() ? line_.output
                             : line_.lower_only    ? file + ".cpp"
                                                   : fs::path(file).stem().string() + ".o";
  append(command, {line_.dependency_flag, "-MF",
                   line_.dependency_file.empty() ? fs::path(target).replace_extension(".d").string()
                                                 : line_.dependency_file,
                   "-MT", line_.dependency_target.empty() ? target : line_.dependency_target});
}

void Compiler::link(const Words& objects_and_libraries, const std::string& output) const {
  Words command = compiler_command();
  append(command, {"-o", output});
  append(command, objects_and_libraries);
  append(command, {CUCPU_LIBRARY, "-lboost_context"});
  execute_explained(command, [](const std::string& messages) -> std::string {
    if (messages.find("-lblas") == std::string::npos) return {};
    return "error: -lcublas: needs a BLAS of the host's, which is not installed "
           "(Debian: libopenblas-dev or libblas-dev)";
  });
}

void Compiler::preprocess(const Words& command) const {
  execute_explained(command, lower::missing_header_error);
}

template <class Explain>
void Compiler::execute_explained(const Words& command, Explain explain) const {
  const std::string messages = (folder_.path() / "messages").string();
  try {
    commands_.execute(command, messages);
  } catch (const Exit&) {
    const std::string text = read_file(messages);
    const std::string error = explain(text);
    std::cerr << (error.empty() ? text : error + '\n');
    throw;
  }
  if (!line_.dry_run) std::cerr << read_file(messages);
}

}  // namespace cucpu
