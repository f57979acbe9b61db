// The k largest elements of each row, in descending order. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void top_k_kernel(const float* input, float* output, int rows, int cols, int k) {
  // TODO: output[row * k + i] = the i-th largest element of the row.
}

// input: rows x cols floats; output: rows x k floats; both in device memory, k <= 16, k <= cols.
extern "C" void solve(const float* input, float* output, int rows, int cols, int k) {
  const int threads = 256;
  const int blocks = (rows + threads - 1) / threads;
  top_k_kernel<<<blocks, threads>>>(input, output, rows, cols, k);
}
