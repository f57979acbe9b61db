// Matrix copy: B = A, both N x N and row-major. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void copy_kernel(const float* A, float* B, int N) {
  // TODO: copy this thread's element, if there is one.
}

// A, B: device pointers to N * N floats each.
extern "C" void solve(const float* A, float* B, int N) {
  // TODO: launch the kernel. (The runtime has a function for this, too.)
}
