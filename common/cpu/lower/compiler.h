// Compiles and links by the host's compiler, of which CUDA sources are lowered to C++ first.
#pragma once

#include <string>
#include <string_view>

#include "command_line.h"
#include "commands.h"
#include "host/temporary_folder.h"
#include "words.h"

namespace cucpu {

class Compiler {
 public:
  explicit Compiler(const CommandLine& line);

  // Clang reports accesses otherwise than the counting rules take them.
  bool is_gcc() const;
  // Drivers of C++ compilers take .c files for C++.
  static bool is_c(const Input& input);

  // Into `object`, which is returned.
  std::string compile(const Input& input, bool traced, const std::string& object);
  // To C++, into the file `lowered`. True if blocks may run as a whole (whole_blocks.h), which is
  // only with `whole_blocks`.
  bool lower(const std::string& file, const std::string& lowered, bool traced,
             bool whole_blocks = true);
  void link(const Words& objects_and_libraries, const std::string& output) const;

  // Names of files that are gone in the end.
  std::string temporary_object(const Input& input);
  std::string temporary_file(const std::string& suffix, std::string_view content);
  const Commands& commands() const { return commands_; }

 private:
  // Whether the command, whose messages are shown then, succeeds.
  bool succeeds(const Words& command) const;
  // A debugger shows one thread at a time, and each with a stack of its own.
  bool is_for_debugger() const;
  Words compiler_command() const;
  Words c_compiler_command() const;
  Words preprocessor_command(bool traced) const;
  // The file as device code sees it: for a device with the features that the runtime reports.
  std::string preprocessed_for_device(const std::string& file, bool traced);
  void append_dependency_flags(Words& command, const std::string& file) const;
  // If an NVIDIA library is missing, the error names the library rather than a missing file.
  void preprocess(const Words& command) const;
  // `explain` makes one line of the messages of a command that fails; an empty one keeps them.
  template <class Explain>
  void execute_explained(const Words& command, Explain explain) const;

  const CommandLine& line_;
  Commands commands_;
  Words compiler_;
  host::TemporaryFolder folder_{"cucpu"};
  int files_ = 0;  // so far in that folder
};

}  // namespace cucpu
