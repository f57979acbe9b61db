// A single block of 1024 threads, one element each.
//
// Right up to N = 1024; what lies behind is never added.
//
// Rejected by: result
#include <cuda_runtime.h>

constexpr int kThreads = 1024;

__global__ void reduction_kernel(const float* input, float* output, int N) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = t < N ? input[t] : 0.0f;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) *output = sums[0];
}

extern "C" void solve(const float* input, float* output, int N) {
  reduction_kernel<<<1, kThreads>>>(input, output, N);
}
