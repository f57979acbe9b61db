// dot_product whose rounds have no barrier between them.
//
// A warp may add a neighbor's value before the neighbor's warp has added to it.
//
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

constexpr int kThreads = 256;  // a power of two: each round halves them

__global__ void dot_product_kernel(const float* A, const float* B, float* output, int N) {
  __shared__ float partial[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  partial[threadIdx.x] = i < N ? A[i] * B[i] : 0.0f;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(output, partial[0]);
}

extern "C" void solve(const float* A, const float* B, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));
  const int blocks = (N + kThreads - 1) / kThreads;
  dot_product_kernel<<<blocks, kThreads>>>(A, B, output, N);
}
