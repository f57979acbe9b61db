// The atomic sum without setting the sum to zero first.
//
// The atomics add to whatever the memory holds. Fresh memory is often zero, so that the first run
// is right, and the second one adds to the first.
//
// Rejected by: initcheck (uninitialized)
#include <cuda_runtime.h>

__global__ void reduction_kernel(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  reduction_kernel<<<blocks, threads>>>(input, output, N);
}
