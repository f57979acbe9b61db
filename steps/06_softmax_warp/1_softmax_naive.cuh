// Softmax of every row of a matrix, y = exp(x - max) / sum: one thread per row.
//
// x and y are (rows, cols), row-major. The maximum is subtracted so that no exponential overflows;
// the largest becomes exp(0) = 1. A row that holds +infinity or NaN, or nothing but -infinity, has
// no softmax: its elements come out as NaN.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

#include "rows.cuh"

__global__ void softmax_naive_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  const std::size_t first_row = std::size_t{blockIdx.x} * kBlockSize + threadIdx.x;
  for (std::size_t row = first_row; row < rows; row += std::size_t{gridDim.x} * kBlockSize) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float max = -INFINITY;
    for (std::size_t col = 0; col < cols; ++col) max = fmaxf(max, in[col]);

    LongSum part = {};
    for (std::size_t col = 0; col < cols; ++col) add_term(part, expf(in[col] - max));

    const float scale = 1.0f / part.value;
    for (std::size_t col = 0; col < cols; ++col) {
      out[col] = expf(in[col] - max) * scale;
    }
  }
}

inline void softmax_naive(const float* x, float* y, std::size_t rows, std::size_t cols,
                          cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned blocks = grid_size((rows + kBlockSize - 1) / kBlockSize);
  softmax_naive_kernel<<<blocks, kBlockSize, 0, stream>>>(x, y, rows, cols);
}
