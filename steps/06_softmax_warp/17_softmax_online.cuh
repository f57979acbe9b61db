// Softmax of every row of a matrix, one block per row: maximum and sum in one pass.
// Between threads they travel together, and accesses have 128 bits.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "packs.cuh"
#include "part.cuh"
#include "rows.cuh"

// The online normalizer of Milakov and Gimelshein, "Online normalizer calculation for softmax"
// (2018): when a larger maximum turns up, the sum so far is scaled down to it.
template <int kPack>
__global__ void __launch_bounds__(1024)
    softmax_online_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  __shared__ Part partial[kWarpSize];
  const std::size_t packs = cols / kPack;
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;
    float pack[kPack];

    float seen_max = kBelowAll;
    LongSum part = {};  // of exp(x - seen_max)
    for (std::size_t i = threadIdx.x; i < packs; i += blockDim.x) {
      load_pack<kPack>(in, i, pack);
      float new_max = seen_max;
      for (const float value : pack) new_max = fmaxf(new_max, value);
      const float rescale = expf(seen_max - new_max);
      float sum = 0.0f;
      for (const float value : pack) sum += expf(value - new_max);
      part = {part.value * rescale, part.excess * rescale};
      add_term(part, sum);
      seen_max = new_max;
    }
    const Part all = block_merge({seen_max, part.value}, partial);

    const float scale = 1.0f / all.sum;
    for (std::size_t i = threadIdx.x; i < packs; i += blockDim.x) {
      load_pack<kPack>(in, i, pack);
      for (float& value : pack) value = expf(value - all.max) * scale;
      store_pack<kPack>(out, i, pack);
    }
    __syncthreads();  // before the next row overwrites `partial`
  }
}

inline void softmax_online(const float* x, float* y, std::size_t rows, std::size_t cols,
                           cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto kernel = aligned ? softmax_online_kernel<4> : softmax_online_kernel<1>;
  const std::size_t packs = aligned ? cols / 4 : cols;
  // Whole warps, and no more of them than the row has work for.
  const std::size_t warps = std::min<std::size_t>((packs + kWarpSize - 1) / kWarpSize, 32);
  const auto threads = static_cast<unsigned>(warps * kWarpSize);
  kernel<<<grid_size(rows), threads, 0, stream>>>(x, y, rows, cols);
}
