// The positive elements first, in order, then zeros. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void compaction_kernel(const int* input, int* output, int N) {
  // TODO: output = the positive elements of input, then zeros.
}

// input, output: N ints each, in device memory, N >= 1.
extern "C" void solve(const int* input, int* output, int N) {
  compaction_kernel<<<1, 1024>>>(input, output, N);
}
