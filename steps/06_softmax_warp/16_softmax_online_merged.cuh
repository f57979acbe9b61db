// Softmax of every row of a matrix, one block per row: maximum and sum in one pass.
// Between threads they travel together.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "part.cuh"
#include "rows.cuh"

// The online normalizer of Milakov and Gimelshein, "Online normalizer calculation for softmax"
// (2018): when a larger maximum turns up, the sum so far is scaled down to it.
__global__ void __launch_bounds__(1024)
    softmax_online_merged_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  __shared__ Part partial[kWarpSize];
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float seen_max = kBelowAll;
    LongSum part = {};  // of exp(x - seen_max)
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) {
      const float new_max = fmaxf(seen_max, in[i]);
      const float rescale = expf(seen_max - new_max);
      part = {part.value * rescale, part.excess * rescale};
      add_term(part, expf(in[i] - new_max));
      seen_max = new_max;
    }
    const Part all = block_merge({seen_max, part.value}, partial);

    const float scale = 1.0f / all.sum;
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) {
      out[i] = expf(in[i] - all.max) * scale;
    }
    __syncthreads();  // before the next row overwrites `partial`
  }
}

inline void softmax_online_merged(const float* x, float* y, std::size_t rows, std::size_t cols,
                                  cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  // Whole warps, and no more of them than the row has work for.
  const std::size_t warps = std::min<std::size_t>((cols + kWarpSize - 1) / kWarpSize, 32);
  const auto threads = static_cast<unsigned>(warps * kWarpSize);
  softmax_online_merged_kernel<<<grid_size(rows), threads, 0, stream>>>(x, y, rows, cols);
}
