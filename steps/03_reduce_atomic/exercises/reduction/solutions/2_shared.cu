// A tree in shared memory: each round halves the threads that add, and a block needs one atomic
// instead of 256. Lanes without an element put in a zero, so that all of them reach each barrier.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reduction_kernel(const float* input, float* output, int N) {
  __shared__ float sums[kThreads];                      // fade 2
  const int t = threadIdx.x;                            // fade 2
  const int i = blockIdx.x * kThreads + t;              // fade 2
  sums[t] = i < N ? input[i] : 0.0f;                    // fade 1
  for (int half = kThreads / 2; half > 0; half /= 2) {  // fade 2
    __syncthreads();                                    // fade 1
    if (t < half) sums[t] += sums[t + half];            // fade 2
  }
  if (t == 0) atomicAdd(output, sums[0]);  // fade 1
}

extern "C" void solve(const float* input, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));                                             // fade 2
  reduction_kernel<<<(N + kThreads - 1) / kThreads, kThreads>>>(input, output, N);  // fade 2
}
