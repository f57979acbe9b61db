// Softmax of every row of a matrix: one block per row.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "block.cuh"
#include "rows.cuh"

__global__ void __launch_bounds__(1024)
    softmax_block_reread_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  // Two arrays: between two writes to one lies the barrier that goes with the other.
  __shared__ float partial_max[kWarpSize];
  __shared__ float partial_sum[kWarpSize];
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float max = -INFINITY;
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) max = fmaxf(max, in[i]);
    max = block_max(max, partial_max);

    LongSum part = {};
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) add_term(part, expf(in[i] - max));
    const float sum = block_sum(part.value, partial_sum);

    const float scale = 1.0f / sum;
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) {
      out[i] = expf(in[i] - max) * scale;
    }
  }
}

inline void softmax_block_reread(const float* x, float* y, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  // Whole warps, and no more of them than the row has work for.
  const std::size_t warps = std::min<std::size_t>((cols + kWarpSize - 1) / kWarpSize, 32);
  const auto threads = static_cast<unsigned>(warps * kWarpSize);
  softmax_block_reread_kernel<<<grid_size(rows), threads, 0, stream>>>(x, y, rows, cols);
}
