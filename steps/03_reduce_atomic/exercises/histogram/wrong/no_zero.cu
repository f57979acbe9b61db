// histogram that never sets its counters to zero.
//
// The previous contents of counts are undefined, and adding to them makes no count.
//
// Rejected by: initcheck (uninitialized)
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* input, int* counts, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) atomicAdd(&counts[input[i]], 1);
}

extern "C" void solve(const int* input, int* counts, int N, int num_bins) {
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  histogram_kernel<<<blocks, threads>>>(input, counts, N);
}
