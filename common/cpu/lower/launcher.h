// A kernel's launcher: a function declared like the kernel, with the launch configuration before
// the kernel's arguments. It launches the kernel.
//
// If the kernel is a template or overloaded, only the arguments of a launch tell which function is
// meant and what they convert to; and only the kernel's declaration has its default arguments.
// The launcher leaves all of that to the compiler.
#pragma once

#include <cstddef>
#include <string>

#include "code.h"
#include "declaration.h"

namespace cucpu::lower {

constexpr const char* kLauncherPrefix = "cucpu_launch_";

// The declaration of the launcher that mirrors the kernel's, or its definition. `body` is the { of
// the kernel's body or the ; that ends its declaration. Empty for a specialization, which the
// launcher finds anyway.
std::string launcher(const Code& code, const Declaration& kernel, std::size_t body, bool define);

}  // namespace cucpu::lower
