// convolution_2d whose tile has as many rows as the block has outputs.
//
// The last rows of outputs need kernel_rows - 1 more, and read past what was copied.
//
// May also show: memcheck (out_of_bounds)
// Rejected by: initcheck (uninitialized)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kCols = 32, kThreadRows = 8, kPerThread = 4, kRows = kThreadRows * kPerThread;
constexpr int kThreads = kCols * kThreadRows;

__global__ void convolution_kernel(const float* input, const float* kernel, float* output, int rows,
                                   int cols, int kernel_rows, int kernel_cols) {
  extern __shared__ float memory[];  // the weights, then the tile
  const int weights = kernel_rows * kernel_cols;
  const int tile_cols = kCols + kernel_cols - 1;
  float* tile = memory + weights;
  const int left = blockIdx.x * kCols, top = blockIdx.y * kRows;
  const int thread = threadIdx.y * kCols + threadIdx.x;
  for (int i = thread; i < weights; i += kThreads) memory[i] = kernel[i];
  for (int i = thread; i < kRows * tile_cols; i += kThreads) {
    const int row = top + i / tile_cols, col = left + i % tile_cols;
    if (row < rows && col < cols) tile[i] = input[std::size_t(row) * cols + col];
  }
  __syncthreads();

  const int output_rows = rows - kernel_rows + 1, output_cols = cols - kernel_cols + 1;
  const int col = left + threadIdx.x, first_row = top + threadIdx.y * kPerThread;
  if (col >= output_cols || first_row >= output_rows) return;
  float sums[kPerThread] = {};
  // An output that lies below the image's last one reads words of the tile that nobody has written.
  const int count = min(kPerThread, output_rows - first_row);
  for (int i = 0; i < kernel_rows; ++i)
    for (int j = 0; j < kernel_cols; ++j) {
      const float weight = memory[i * kernel_cols + j];
      const float* column = tile + (threadIdx.y * kPerThread + i) * tile_cols + threadIdx.x + j;
#pragma unroll
      for (int k = 0; k < kPerThread; ++k)
        if (k < count) sums[k] += column[k * tile_cols] * weight;
    }
#pragma unroll
  for (int k = 0; k < kPerThread; ++k)
    if (k < count) output[std::size_t(first_row + k) * output_cols + col] = sums[k];
}

extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols,
                      int kernel_rows, int kernel_cols) {
  const dim3 grid((cols - kernel_cols) / kCols + 1, (rows - kernel_rows) / kRows + 1);
  const int words =
      kernel_rows * kernel_cols + (kRows + kernel_rows - 1) * (kCols + kernel_cols - 1);
  convolution_kernel<<<grid, dim3(kCols, kThreadRows), words * sizeof(float)>>>(
      input, kernel, output, rows, cols, kernel_rows, kernel_cols);
}
