// Softmax of every row of a matrix, many blocks per row: each stores the maximum and the sum of its
// part, and a second kernel merges these before it divides.
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
template <int kPack, bool kDivide>  // kDivide: the second kernel
__global__ void __launch_bounds__(1024)
    softmax_two_kernels_kernel(const float* x, float* y, Part* parts, std::size_t rows,
                               std::size_t cols) {
  __shared__ Part partial[kWarpSize];
  const std::size_t packs = cols / kPack;
  const std::size_t begin = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t row = blockIdx.y; row < rows; row += gridDim.y) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;
    float pack[kPack];

    float seen_max = kBelowAll;
    LongSum part = {};  // of exp(x - seen_max)
    for (std::size_t i = begin; !kDivide && i < packs; i += step) {
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
    Part own = {seen_max, part.value};
    // A block has as many threads as a row may have parts.
    if (kDivide && threadIdx.x < gridDim.x) own = parts[row * gridDim.x + threadIdx.x];
    const Part all = block_merge(own, partial);
    if (!kDivide && threadIdx.x == 0) parts[row * gridDim.x + blockIdx.x] = all;

    const float scale = 1.0f / all.sum;
    for (std::size_t i = begin; kDivide && i < packs; i += step) {
      load_pack<kPack>(in, i, pack);
      for (float& value : pack) value = expf(value - all.max) * scale;
      store_pack<kPack>(out, i, pack);
    }
    __syncthreads();  // before the next row overwrites `partial`
  }
}

inline void softmax_two_kernels(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto find =
      aligned ? softmax_two_kernels_kernel<4, false> : softmax_two_kernels_kernel<1, false>;
  const auto divide =
      aligned ? softmax_two_kernels_kernel<4, true> : softmax_two_kernels_kernel<1, true>;
  constexpr std::size_t kThreads = 1024, kTurns = 4;  // turns of a block over its part of a row
  const std::size_t turns = (aligned ? cols / 4 : cols) / kThreads;
  const dim3 blocks(static_cast<unsigned>(std::clamp<std::size_t>(turns / kTurns, 1, kThreads)),
                    static_cast<unsigned>(std::min<std::size_t>(rows, 65535)));
  Part* parts = nullptr;  // (rows, blocks.x)
  // Without memory, the caller finds the error as it finds that of a launch.
  if (cudaMallocAsync(&parts, rows * blocks.x * sizeof(Part), stream) != cudaSuccess) return;
  find<<<blocks, kThreads, 0, stream>>>(x, y, parts, rows, cols);
  divide<<<blocks, kThreads, 0, stream>>>(x, y, parts, rows, cols);
  cudaFreeAsync(parts, stream);
}
