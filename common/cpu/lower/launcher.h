// The launcher of a kernel: a function that is declared as the kernel is, takes the configuration
// of a launch before the kernel's arguments, and launches it.
//
// Of a kernel that is a template, or one of several of its name, only the arguments of a launch
// tell which function is meant and what they convert to, and default arguments are known to the
// kernel's name alone. The launcher leaves that to the compiler.
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
