// One thread per point. Stores are coalesced; each load takes every third float, and touches three
// times the sectors it needs.
#include <cuda_runtime.h>

#include <cstddef>

__global__ void deinterleave_kernel(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  for (int c = 0; c < 3; ++c) output[std::size_t(c) * N + i] = input[3 * std::size_t(i) + c];
}

extern "C" void solve(const float* input, float* output, int N) {
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  deinterleave_kernel<<<blocks, threads>>>(input, output, N);
}
