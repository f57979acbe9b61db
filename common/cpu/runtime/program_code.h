// Places in the program's code.
#pragma once

#include <cstdint>

#include "cucpu/site.h"

namespace cucpu {

// Instructions of one module of the process: the program itself, or a shared library.
struct CodeRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool contains(std::uintptr_t code) const { return code - begin < end - begin; }
};
// The code of the module that has this instruction. Not for signal handlers.
CodeRange module_of(std::uintptr_t code);

// A call that lanes make together. One source line can be several such calls: if two branches call
// the same inlined function, for example.
struct CodePlace {
  Site site;
  std::uintptr_t code = 0;    // where it returns to
  std::uintptr_t caller = 0;  // where the function that makes it returns to
  std::uintptr_t depth = 0;   // bytes of the thread's stack that are in use there

  bool operator==(const CodePlace& other) const {
    // A compiler may make one call of two lines'.
    return code == other.code && caller == other.caller && depth == other.depth &&
           site.line == other.site.line;
  }
};

}  // namespace cucpu
