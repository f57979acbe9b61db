// reduce_atomic with blocks that start one element too early.
//
// Every block adds the last element of the one before once more, and the end of the vector is left
// out. All accesses are legal: only the sum tells.
//
// Rejected by: result with --n 1003
#pragma once

#include "../1_reduce_atomic.cuh"

namespace overlapping_blocks {

// n additions in a row to one float: the rounding error may grow as n.
__global__ void reduce_atomic_kernel(const float* x, float* sum, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * (blockDim.x - 1) + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

inline void reduce_atomic(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;                  // threads per block
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_atomic_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}

}  // namespace overlapping_blocks
