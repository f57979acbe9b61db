// Reverses an array in place. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void reverse_kernel(float* a, int n) {
  // TODO: which elements may this thread touch, so that no other thread touches them?
}

// a: device pointer to n floats.
extern "C" void solve(float* a, int n) {
  // TODO: how many threads does it take?
}
