// cucpu: compiles CUDA programs for the CPU, with the command line of nvcc.
//
// Each .cu file is preprocessed, lowered to C++ (lower.h) and compiled by the host's compiler; then
// everything is linked with the runtime (common/cpu/runtime).
#include <filesystem>
#include <iostream>
#include <string>

#include "command_line.h"
#include "compiler.h"
#include "exit.h"
#include "host/command.h"
#include "twin_linker.h"

namespace cucpu {
namespace {

namespace fs = std::filesystem;

class Driver {
 public:
  explicit Driver(const CommandLine& line) : line_(line) {}

  void run() {
    Words for_linker;
    for (const Input& input : line_.inputs) {
      if (input.kind == Input::Kind::for_linker)
        for_linker.push_back(input.text);
      else if (line_.lower_only && input.kind == Input::Kind::cuda)
        compiler_.lower(input.text, output_of(input, ".cu.cpp"), line_.traced);
      else if (!line_.lower_only)
        for_linker.push_back(object_of(input));
    }
    if (line_.compile_only || line_.lower_only) return;
    const std::string program = line_.output.empty() ? "a.out" : line_.output;
    compiler_.link(for_linker, program);
    twins_.link(for_linker, program);
    if (line_.run) compiler_.commands().execute({fs::absolute(program).string()});
  }

 private:
  // The path of this file's only output.
  std::string output_of(const Input& input, const std::string& suffix) const {
    return line_.output.empty() ? fs::path(input.text).stem().string() + suffix : line_.output;
  }

  // Compiles the file to an object: the one that -c asks for, or a temporary one to link.
  std::string object_of(const Input& input) {
    if (!line_.compile_only)
      return compiler_.compile(input, line_.traced, compiler_.temporary_object(input));
    const std::string object = compiler_.compile(input, line_.traced, output_of(input, ".o"));
    const bool has_twin = input.kind == Input::Kind::cuda && !line_.traced && compiler_.is_gcc();
    if (has_twin) twins_.put_into(object, input);
    return object;
  }

  const CommandLine& line_;
  Compiler compiler_{line_};
  TwinLinker twins_{line_, compiler_};
};

// The exit code, which is no success if what was printed is lost, as on a full disk.
int with_output(int code) {
  if (std::cout.flush()) return code;
  std::cerr << "error: the output cannot be written\n";
  return code == 0 ? 1 : code;
}

}  // namespace
}  // namespace cucpu

int main(int argc, char** argv) {
  try {
    const cucpu::CommandLine line = cucpu::parse_command_line(argc, argv);
    host::defer_interruptions();
    cucpu::Driver(line).run();
    return cucpu::with_output(0);
  } catch (const cucpu::Exit& exit) {
    return cucpu::with_output(exit.status);
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
