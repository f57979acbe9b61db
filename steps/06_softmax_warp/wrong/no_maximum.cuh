// softmax_warp_shuffle that does not subtract the maximum.
//
// The formula is right and the arithmetic is not: exp(89) is too large for a float, and infinity
// over infinity is NaN. A check that compares with `error > bound` lets NaN pass.
//
// Rejected by: result with --rows 9 --cols 70
#pragma once

#include "../kernel.cuh"

namespace no_maximum {

// A warp a row. The xor shuffle leaves the results in every lane.
__global__ void softmax_warp_shuffle_kernel(const float* x, float* y, std::size_t rows,
                                            std::size_t cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const std::size_t first_row = std::size_t{blockIdx.x} * kWarps + warp;
  for (std::size_t row = first_row; row < rows; row += std::size_t{gridDim.x} * kWarps) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    const float max = 0.0f;

    LongSum part = {};
    for (std::size_t col = lane; col < cols; col += kWarpSize) add_term(part, expf(in[col] - max));
    const float sum = group_sum<kWarpSize>(part.value);

    const float scale = 1.0f / sum;
    for (std::size_t col = lane; col < cols; col += kWarpSize) {
      out[col] = expf(in[col] - max) * scale;
    }
  }
}

inline void softmax_warp_shuffle(const float* x, float* y, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned blocks = grid_size((rows + kWarps - 1) / kWarps);
  softmax_warp_shuffle_kernel<<<blocks, kBlockSize, 0, stream>>>(x, y, rows, cols);
}

}  // namespace no_maximum
