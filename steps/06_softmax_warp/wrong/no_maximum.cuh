// softmax_naive that does not subtract the maximum.
//
// The formula is right and the arithmetic is not: exp(89) is too large for a float, and infinity
// over infinity is NaN. A check that compares with `error > bound` lets NaN pass.
//
// Rejected by: result with --rows 9 --cols 70
#pragma once

#include "../1_softmax_naive.cuh"

namespace no_maximum {

__global__ void softmax_naive_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  const std::size_t first_row = std::size_t{blockIdx.x} * kBlockSize + threadIdx.x;
  for (std::size_t row = first_row; row < rows; row += std::size_t{gridDim.x} * kBlockSize) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    const float max = 0.0f;

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

}  // namespace no_maximum
