// One atomicAdd a thread: right in any order, and as slow as all threads taking turns at one
// address are. The sum has to start from zero, which no earlier launch has seen to.
#include <cuda_runtime.h>

__global__ void reduction_kernel(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  reduction_kernel<<<blocks, threads>>>(input, output, N);
}
