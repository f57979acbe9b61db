// softmax_block_reread with one array for both reductions.
//
// A fast warp leaves its sum in the array while a slow one still reads the maxima there: the
// barrier in block_sum comes after the write. The slow warp then subtracts a maximum that is a sum.
//
// Rejected by: racecheck (race) with --rows 9 --cols 70
#pragma once

#include "../12_softmax_block_reread.cuh"

namespace one_partial {

template <class T, class WarpReduce>
__device__ T block_reduce(T value, T neutral, T (&partial)[kWarpSize], WarpReduce warp_reduce) {
  const unsigned lane = threadIdx.x % kWarpSize;
  value = warp_reduce(value);
  if (lane == 0) partial[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  return warp_reduce(lane < blockDim.x / kWarpSize ? partial[lane] : neutral);
}

__device__ inline float block_max(float value, float (&partial)[kWarpSize]) {
  return one_partial::block_reduce(value, -INFINITY, partial, group_max<kWarpSize>);
}

__device__ inline float block_sum(float value, float (&partial)[kWarpSize]) {
  return one_partial::block_reduce(value, 0.0f, partial, group_sum<kWarpSize>);
}

__global__ void __launch_bounds__(1024)
    softmax_block_reread_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  __shared__ float partial_max[kWarpSize];
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float max = -INFINITY;
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) max = fmaxf(max, in[i]);
    max = block_max(max, partial_max);

    LongSum part = {};
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) add_term(part, expf(in[i] - max));
    const float sum = block_sum(part.value, partial_max);

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

}  // namespace one_partial
