// Softmax of rows of any length, a block a row: maximum and sum in one pass over x.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "reduce.cuh"
#include "rows.cuh"

// [softmax_online]
// The online normalizer of Milakov and Gimelshein, "Online normalizer calculation for softmax"
// (2018): when a larger maximum turns up, the sum so far is scaled down to it.
struct Running {
  float max;    // of what was seen
  LongSum sum;  // of exp(x - max) over what was seen
};

template <int kPack>
__device__ void add_pack(Running& seen, const float (&pack)[kPack]) {
  float max = seen.max;
  for (const float value : pack) max = fmaxf(max, value);
  const float rescale = expf(seen.max - max);
  float sum = 0.0f;
  for (const float value : pack) sum += expf(value - max);
  seen = {max, {seen.sum.value * rescale, seen.sum.excess * rescale}};
  add_term(seen.sum, sum);
}

template <int kPack>
__global__ void __launch_bounds__(1024)
    softmax_online_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  __shared__ Part partial[kWarpSize];
  const std::size_t packs = cols / kPack;
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;
    float pack[kPack];

    Running seen = {kBelowAll, {}};
    for (std::size_t i = threadIdx.x; i < packs; i += blockDim.x) {
      load_pack(in, i, pack);
      add_pack(seen, pack);
    }
    const Part all = block_merge({seen.max, seen.sum.value}, partial);

    const float scale = 1.0f / all.sum;
    for (std::size_t i = threadIdx.x; i < packs; i += blockDim.x) {
      load_pack(in, i, pack);
      for (float& value : pack) value = expf(value - all.max) * scale;
      store_pack(out, i, pack);
    }
    __syncthreads();  // before the next row overwrites `partial`
  }
}

template <int kPack>
void launch_softmax_online(const float* x, float* y, std::size_t rows, std::size_t cols,
                           cudaStream_t stream) {
  // Whole warps, and no more of them than the row has packs for.
  const std::size_t warps = (cols + kPack * kWarpSize - 1) / (kPack * kWarpSize);
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(warps, 32) * kWarpSize);
  const unsigned blocks = grid_size(rows);
  softmax_online_kernel<kPack><<<blocks, threads, 0, stream>>>(x, y, rows, cols);
}

inline void softmax_online(const float* x, float* y, std::size_t rows, std::size_t cols,
                           cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  if (rows_are_aligned(x, y, cols)) {
    launch_softmax_online<4>(x, y, rows, cols, stream);
  } else {
    launch_softmax_online<1>(x, y, rows, cols, stream);
  }
}
// [softmax_online]
