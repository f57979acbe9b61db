// The tree in shared memory without the barrier between two rounds.
//
// A thread adds a neighbor's word before that neighbor has added to it. Inside a warp that often
// goes well, between two warps sometimes.
//
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void reduction_kernel(const float* input, float* output, int N) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  sums[t] = i < N ? input[i] : 0.0f;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) atomicAdd(output, sums[0]);
}

extern "C" void solve(const float* input, float* output, int N) {
  cudaMemset(output, 0, sizeof(float));
  reduction_kernel<<<(N + kThreads - 1) / kThreads, kThreads>>>(input, output, N);
}
