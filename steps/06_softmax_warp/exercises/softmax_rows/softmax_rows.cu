// Softmax of every row of a matrix. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* input, float* output, int num_rows, int num_cols) {
  // TODO: a warp or a block for each row: its maximum, the sum of exp(x - max), the quotients.
  // Every thread of it needs both results.
}

// input, output: device pointers to num_rows * num_cols floats each.
extern "C" void solve(const float* input, float* output, int num_rows, int num_cols) {
  // TODO
}
