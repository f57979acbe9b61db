// histogram without an atomic.
//
// If several threads add to one counter at the same time, only one of them is counted.
//
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* input, int* counts, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) ++counts[input[i]];
}

extern "C" void solve(const int* input, int* counts, int N, int num_bins) {
  cudaMemset(counts, 0, num_bins * sizeof(int));
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  histogram_kernel<<<blocks, threads>>>(input, counts, N);
}
