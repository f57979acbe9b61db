// A product per thread, a tree in shared memory, an atomic per block. A thread without a pair
// brings a zero, as it has to come to every barrier.
#include <cuda_runtime.h>

constexpr int kThreads = 256;  // a power of two: each round halves them

__global__ void dot_product_kernel(const float* A, const float* B, float* output, int N) {
  __shared__ float partial[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;                              // fade 2
  partial[threadIdx.x] = i < N ? A[i] * B[i] : 0.0f;                              // fade 1
  __syncthreads();                                                                // fade 2
  for (int half = kThreads / 2; half > 0; half /= 2) {                            // fade 1
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];  // fade 2
    __syncthreads();                                                              // fade 2
  }
  if (threadIdx.x == 0) atomicAdd(output, partial[0]);  // fade 1
}

extern "C" void solve(const float* A, const float* B, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));                       // fade 2
  const int blocks = (N + kThreads - 1) / kThreads;           // fade 2
  dot_product_kernel<<<blocks, kThreads>>>(A, B, output, N);  // fade 2
}
