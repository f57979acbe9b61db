// x y z x y z ... to x x ... y y ... z z ... The statement is in README.md.
#include <cuda_runtime.h>

__global__ void deinterleave_kernel(const float* input, float* output, int N) {
  // TODO: coordinate c of point i goes to output[c * N + i].
}

// input, output: 3 N floats each, in device memory, N >= 1.
extern "C" void solve(const float* input, float* output, int N) {
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  deinterleave_kernel<<<blocks, threads>>>(input, output, N);
}
