// Assignments of what a function returns: `array[i] = f(x);`.
#pragma once

#include <cstddef>
#include <optional>

#include "code.h"

namespace cucpu::lower {

// The `;` behind the right side of the `=` at i, if that is an assignment, not a declaration's
// initializer, and the result of a call may be its value.
std::optional<std::size_t> end_of_stored_call(const Code& code, std::size_t i);

}  // namespace cucpu::lower
