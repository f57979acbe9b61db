// The dot product of two vectors. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void dot_product_kernel(const float* A, const float* B, float* output, int N) {
  // TODO: add all A[i] * B[i] to *output.
}

// A, B: N floats each; output: 1 float; all in device memory, N >= 1.
extern "C" void solve(const float* A, const float* B, float* output, int N) {
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  dot_product_kernel<<<blocks, threads>>>(A, B, output, N);
}
