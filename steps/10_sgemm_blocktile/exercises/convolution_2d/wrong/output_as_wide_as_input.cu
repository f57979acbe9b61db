// convolution_2d that takes the rows of the output to be as long as those of the input.
//
// They are shorter by kernel_cols - 1: all rows but the first are in the wrong place, and the last
// ones outside.
//
// May also show: memcheck (out_of_bounds)
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

#include <cstddef>

__global__ void convolution_kernel(const float* input, const float* kernel, float* output, int rows,
                                   int cols, int kernel_rows, int kernel_cols) {
  const int output_rows = rows - kernel_rows + 1, output_cols = cols - kernel_cols + 1;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= output_rows || col >= output_cols) return;
  float sum = 0.0f;
  for (int i = 0; i < kernel_rows; ++i)
    for (int j = 0; j < kernel_cols; ++j)
      sum += input[std::size_t(row + i) * cols + col + j] * kernel[i * kernel_cols + j];
  output[std::size_t(row) * cols + col] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols,
                      int kernel_rows, int kernel_cols) {
  const dim3 block(32, 8);
  const dim3 grid((cols - kernel_cols + 32) / 32, (rows - kernel_rows + 8) / 8);
  convolution_kernel<<<grid, block>>>(input, kernel, output, rows, cols, kernel_rows, kernel_cols);
}
