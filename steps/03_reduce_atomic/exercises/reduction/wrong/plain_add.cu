// A sum without atomics: every thread reads, adds and writes by itself.
//
// Two threads that read the same sum before either has written it lose one of their additions. On a
// GPU nearly all of them are lost.
//
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

__global__ void reduction_kernel(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) *output += input[i];
}

extern "C" void solve(const float* input, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  reduction_kernel<<<blocks, threads>>>(input, output, N);
}
