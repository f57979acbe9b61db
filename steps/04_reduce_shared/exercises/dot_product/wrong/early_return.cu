// dot_product whose threads without a pair return at once.
//
// They leave their words of the tree unwritten, and the others add what happens to be there.
//
// May also show: synccheck (barrier_divergence)
// Rejected by: initcheck (uninitialized)
#include <cuda_runtime.h>

constexpr int kThreads = 256;  // a power of two: each round halves them

__global__ void dot_product_kernel(const float* A, const float* B, float* output, int N) {
  __shared__ float partial[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= N) return;
  partial[threadIdx.x] = A[i] * B[i];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(output, partial[0]);
}

extern "C" void solve(const float* A, const float* B, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));
  const int blocks = (N + kThreads - 1) / kThreads;
  dot_product_kernel<<<blocks, kThreads>>>(A, B, output, N);
}
