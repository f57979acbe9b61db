// The traced twin of a program: the same once more, with its kernels traced.
#pragma once

#include <string>

#include "command_line.h"
#include "compiler.h"
#include "words.h"

namespace cucpu {

class TwinLinker {
 public:
  TwinLinker(const CommandLine& line, Compiler& compiler) : line_(line), compiler_(compiler) {}

  // Builds the twin of `program`, which was linked from these, one per input. The user has not
  // asked for a twin, so it is no failure if there is none.
  void link(Words for_linker, const std::string& program);
  // Puts into this object the traced one, which twins are linked from instead.
  void put_into(const std::string& object, const Input& input);

 private:
  // The file to link a twin of in place of this one, or of the library that `-lname` names; empty
  // if it is the same.
  std::string traced_form(const std::string& file);
  std::string traced_archive(const std::string& file);
  // The archive that the linker takes for -lname, from the folders that the user names.
  std::string library_of(const std::string& name) const;

  const CommandLine& line_;
  Compiler& compiler_;
};

}  // namespace cucpu
