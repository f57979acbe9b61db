// reduce_shared with blocks of 192 threads, and without the static_assert that forbids them.
//
// Halves of 192 are 96, 48, 24, 12, 6, 3, and then 1: the last round adds the second of three
// values and forgets the third. Every block loses a third of its elements.
//
// Rejected by: result with --n 1003
#pragma once

#include "../2_reduce_shared.cuh"

namespace block_of_192 {

// A tree inside the block, then n / kBlockSize additions in a row to one float.
template <int kBlockSize>
__global__ void reduce_shared_kernel(const float* x, float* sum, std::size_t n) {
  __shared__ float partial[kBlockSize];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0.0f;  // no early return: barriers follow
  __syncthreads();
  for (unsigned half = kBlockSize / 2; half > 0; half /= 2) {
    // The first threads, side by side: whole warps work, the others have nothing to do.
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();  // outside the if: every thread must reach it
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

inline void reduce_shared(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 192;                  // threads per block
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_shared_kernel<kBlockSize><<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}

}  // namespace block_of_192
