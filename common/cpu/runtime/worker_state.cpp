// The variables that each worker has of its own. This is the only file of the runtime that is
// compiled with debug information: from it a debugger learns the type of a Worker, and so which
// fiber each thread has and what it waits for (common/editor/cuda_gdb.py). Kernels pay nothing for
// that.
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
