// Facts about a whole program that decide how one of its kernels may run (whole_blocks.h).
#pragma once

#include "code.h"
#include "declaration.h"

namespace cucpu::lower {

// All of it stands outside the system's headers.
struct ProgramFacts {
  Words constants;  // by `constexpr` at namespace scope; nothing else has one of the names
  Words volatiles;  // names of variables by which threads may wait for each other
  Words functions;  // names that are called, and that the program itself declares
  // An expression of objects may call a function, or change a constant: there are operators,
  // constructors for the device, or mutable members.
  bool has_hidden_calls = false;
};
ProgramFacts read_facts(const Code& code);

}  // namespace cucpu::lower
