// The tools of a traced program: those that CUCPU_TOOLS names, or the program asks for.
#pragma once

namespace cucpu::trace {

// Called once per process, before main(): prepares the program to be watched, and starts the tools
// that CUCPU_TOOLS names.
void start_tools();

}  // namespace cucpu::trace
