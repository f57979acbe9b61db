// Sum of a vector: a warp adds up its elements from register to register.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "block_sum.cuh"

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
