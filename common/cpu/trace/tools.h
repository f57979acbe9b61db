// Which tools a traced program runs: what CUCPU_TOOLS names, or the program asks for.
#pragma once

namespace cucpu::trace {

// Once in a process, before its main(): makes the program one that can be watched, and arranges for
// what CUCPU_TOOLS asks for.
void start_tools();

}  // namespace cucpu::trace
