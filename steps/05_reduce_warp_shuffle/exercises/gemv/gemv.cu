// Matrix times vector: y = A * x, A is M x K and row-major. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  // TODO: a warp for each row. Its lanes walk along the row side by side, and then add up what they
  // have.
}

// Device pointers to M * K, K, and M floats.
extern "C" void solve(const float* A, const float* x, float* y, int M, int K) {
  // TODO
}
