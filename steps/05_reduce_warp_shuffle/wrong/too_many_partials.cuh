// reduce_shuffle in which all lanes of the first warp read a partial sum.
//
// There are eight of them, one from each warp: lanes 8 to 31 read past the end of the array. The
// words that lie there go into the sum.
//
// Rejected by: memcheck (out_of_bounds) with --n 1003
#pragma once

#include "../1_reduce_shuffle.cuh"

namespace too_many_partials {

__device__ inline float block_sum(float value) {
  __shared__ float partial[8];  // one for each warp
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  value = warp_sum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(partial[lane]);
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

}  // namespace too_many_partials
