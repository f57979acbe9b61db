// softmax_block_reread in which all 32 lanes read a warp's result, however many warps the block
// has.
//
// The array has room for 32, so the reads are legal, but nobody has written what is past the last
// warp. A tool that looks at global memory alone does not see it.
//
// Rejected by: initcheck (uninitialized) with --rows 9 --cols 70
#pragma once

#include "../12_softmax_block_reread.cuh"

namespace unwritten_partials {

template <class T, class WarpReduce>
__device__ T block_reduce(T value, T, T (&partial)[kWarpSize], WarpReduce warp_reduce) {
  const unsigned lane = threadIdx.x % kWarpSize;
  value = warp_reduce(value);
  if (lane == 0) partial[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  return warp_reduce(partial[lane]);
}

__device__ inline float block_max(float value, float (&partial)[kWarpSize]) {
  return unwritten_partials::block_reduce(value, -INFINITY, partial, group_max<kWarpSize>);
}

__device__ inline float block_sum(float value, float (&partial)[kWarpSize]) {
  return unwritten_partials::block_reduce(value, 0.0f, partial, group_sum<kWarpSize>);
}

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
    max = unwritten_partials::block_max(max, partial_max);

    LongSum part = {};
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) add_term(part, expf(in[i] - max));
    const float sum = unwritten_partials::block_sum(part.value, partial_sum);

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

}  // namespace unwritten_partials
