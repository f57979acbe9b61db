// How often each value occurs. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* input, int* counts, int N, int num_bins) {
  // TODO: add one to counts[input[i]] for each i.
}

// input: N ints; counts: num_bins ints; both in device memory, N >= 1.
extern "C" void solve(const int* input, int* counts, int N, int num_bins) {
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  histogram_kernel<<<blocks, threads>>>(input, counts, N, num_bins);
}
