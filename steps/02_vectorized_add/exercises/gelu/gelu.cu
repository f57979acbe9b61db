// GELU of each element. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* input, float* output, int N) {
  // TODO: output[i] = gelu(input[i]).
}

// input, output: N floats each, in device memory, N >= 1.
extern "C" void solve(const float* input, float* output, int N) {
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  gelu_kernel<<<blocks, threads>>>(input, output, N);
}
