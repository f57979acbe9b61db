// Transposes many small matrices. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void transpose_kernel(const float* input, float* output, int batch, int n) {
  // TODO: element (row, col) of each matrix goes to (col, row).
}

// input, output: batch x n x n floats each, in device memory, both sizes >= 1, n <= 32.
extern "C" void solve(const float* input, float* output, int batch, int n) {
  transpose_kernel<<<batch, dim3(n, n)>>>(input, output, batch, n);
}
