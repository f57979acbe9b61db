// A convolution of an image. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void convolution_kernel(const float* input, const float* kernel, float* output, int rows,
                                   int cols, int kernel_rows, int kernel_cols) {
  // TODO: output[r][c] = the sum of input[r + i][c + j] * kernel[i][j].
}

// All arrays are in device memory; no size is less than 1.
extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols,
                      int kernel_rows, int kernel_cols) {
  const dim3 block(32, 8);
  const dim3 grid((cols - kernel_cols + 32) / 32, (rows - kernel_rows + 8) / 8);
  convolution_kernel<<<grid, block>>>(input, kernel, output, rows, cols, kernel_rows, kernel_cols);
}
