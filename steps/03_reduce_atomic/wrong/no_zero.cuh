// reduce_atomic that does not set the sum to zero first.
//
// The atomics add to whatever the memory holds. Fresh memory is often zero: the
// first run is right, and the second one adds to the first.
//
// Rejected by: initcheck (uninitialized) with --n 1003
#pragma once

#include "../1_reduce_atomic.cuh"

namespace no_zero {

// n additions in a row to one float: the rounding error may grow as n.
__global__ void reduce_atomic_kernel(const float* x, float* sum, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

inline void reduce_atomic(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;  // threads per block
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_atomic_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}

}  // namespace no_zero
