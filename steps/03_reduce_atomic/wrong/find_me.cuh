// Sum of a vector: every thread adds its element to the result.
#pragma once

#include "../1_reduce_atomic.cuh"

namespace find_me {

// n additions in a row to one float: the rounding error may grow as n.
__global__ void reduce_atomic_kernel(const float* x, float* sum, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicExch(sum, *sum + x[i]);
}

inline void reduce_atomic(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;                  // threads per block
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_atomic_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}

}  // namespace find_me
