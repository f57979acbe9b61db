// cucpu's command line, which is nvcc's.
#pragma once

#include <string>
#include <vector>

#include "words.h"

namespace cucpu {

struct Input {
  enum class Kind { cuda, host_source, for_linker } kind;
  std::string text;  // a file, or an option of the linker
};

// The command line, parsed.
struct CommandLine {
  std::vector<Input> inputs;  // in order, which matters for libraries
  Words host_compiler;
  Words preprocessor_flags;
  Words flags;  // for every compilation, and for the linker
  std::string output;
  std::string dependency_flag;
  std::string dependency_file;
  std::string dependency_target;
  bool shared_device_variables = false;
  bool compile_only = false;
  bool lower_only = false;
  bool traced = false;
  bool run = false;
  bool dry_run = false;
  bool verbose = false;
};

// Ends with `Exit` where it makes no sense, or where it asks for help.
CommandLine parse_command_line(int argc, char** argv);

}  // namespace cucpu
