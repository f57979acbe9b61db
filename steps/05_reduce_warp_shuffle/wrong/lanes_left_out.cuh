// reduce_shuffle whose last shuffles only those lanes execute that have a value.
//
// The mask still names all 32 lanes, and 24 of them never come: they go on to the end of the
// kernel. The others get undefined values from them: here on the CPU NaN, on a GPU maybe zero, and
// then the sum is right.
//
// Rejected by: synccheck (invalid_mask) with --n 1003
#pragma once

#include "../1_reduce_shuffle.cuh"

namespace lanes_left_out {

__device__ inline float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}

__device__ inline float block_sum(float value) {
  __shared__ float partial[kWarpSize];  // for as many warps as a block can have
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  value = warp_sum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  const unsigned warps = blockDim.x / kWarpSize;
  if (threadIdx.x < warps) value = warp_sum(partial[lane]);
  return value;
}

// A tree inside the block, then n / kBlockSize additions in a row to one float.
__global__ void reduce_shuffle_kernel(const float* x, float* sum, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = i < n ? x[i] : 0.0f;  // no early return: a barrier follows
  value = block_sum(value);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

inline void reduce_shuffle(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;  // threads per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_shuffle_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}

}  // namespace lanes_left_out
