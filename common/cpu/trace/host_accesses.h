// Memory of the device that the host's code reads or writes: on a GPU that ends the program.
#pragma once

#include "trace.h"

namespace cucpu::trace {

// An access outside kernels. A finding of memcheck, if it is of memory that only kernels reach.
void note_host_access(const Access& access);

}  // namespace cucpu::trace
