// How a program names its kernels: the one place that tells `k` from `ns::k<int>`, and the kernel
// `k` from something else of that name.
#pragma once

#include <cstddef>
#include <string>

#include "code.h"
#include "declaration.h"

namespace cucpu::lower {

// Words that end a statement or an expression before what follows them.
extern const Words kStatementWords;

// The identifier in a qualified name from i to `end`: k in ns::k<int>.
std::size_t plain_name(const Code& code, std::size_t i, std::size_t end);

// Nothing from i to `end` but identifiers, :: and template arguments, perhaps in parentheses.
bool is_name(const Code& code, std::size_t i, std::size_t end);

// The plain name of a launch's callee, the expression from i to `end`: the identifier of a name,
// also of one in parentheses; else the last identifier outside brackets.
std::size_t plain_name_of_callee(const Code& code, std::size_t i, std::size_t end);
// The callee's name as messages give it.
std::string callee_name(const Code& code, std::size_t i, std::size_t end);

// The start of the expression that names the kernel before the <<< at `open`: `ns::kernel<T, 4>`,
// `(*pointer)`, `table[i]`, `object->kernel(3)`.
std::size_t callee_begin(const Code& code, std::size_t open);

// Whether the identifier at i seems to be declared there, as a variable or a parameter: it follows
// a type.
bool is_declared(const Code& code, std::size_t i);

}  // namespace cucpu::lower
