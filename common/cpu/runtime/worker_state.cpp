// What tells threads of the host that run blocks apart. Of the runtime, this file alone is compiled
// with debug information: a debugger learns from it all that a worker knows of its threads, which
// fiber has which and what it waits for (common/editor/cuda_gdb.py), and kernels pay nothing for it.
#include "grid.h"
#include "worker.h"

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace cucpu {

constinit thread_local Turns turns{};
constinit thread_local Worker* this_worker = nullptr;

}  // namespace cucpu
