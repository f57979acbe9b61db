// Softmax of every row of a matrix: one warp per row. The xor shuffle leaves the results of the
// reductions in every lane.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

#include "groups.cuh"
#include "rows.cuh"

__global__ void softmax_warp_shuffle_kernel(const float* x, float* y, std::size_t rows,
                                            std::size_t cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const std::size_t first_row = std::size_t{blockIdx.x} * kWarps + warp;
  for (std::size_t row = first_row; row < rows; row += std::size_t{gridDim.x} * kWarps) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float max = -INFINITY;
    for (std::size_t col = lane; col < cols; col += kWarpSize) max = fmaxf(max, in[col]);
    max = group_max<kWarpSize>(max);

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
