// reduce_interleaved with twice as many adding threads in each round.
//
// In the first round every thread adds its neighbor's word, while that neighbor adds to it, and
// the last thread adds what lies behind the end of `partial`.
//
// May also show: memcheck (out_of_bounds)
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race) with --n 1003
#pragma once

#include "../1_reduce_interleaved.cuh"

namespace half_the_modulus {

// A tree inside the block, then n / kBlockSize additions in a row to one float.
template <int kBlockSize>
__global__ void reduce_interleaved_kernel(const float* x, float* sum, std::size_t n) {
  __shared__ float partial[kBlockSize];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0.0f;  // no early return: barriers follow
  __syncthreads();
  for (unsigned stride = 1; stride < kBlockSize; stride *= 2) {
    // Every second thread, every fourth, ...: few lanes in each warp, so most warps stay busy.
    if (threadIdx.x % stride == 0) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();  // outside the if: every thread must reach it
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

inline void reduce_interleaved(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;  // threads per block
  static_assert((kBlockSize & (kBlockSize - 1)) == 0, "each round halves the number of values");
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_interleaved_kernel<kBlockSize><<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}

}  // namespace half_the_modulus
