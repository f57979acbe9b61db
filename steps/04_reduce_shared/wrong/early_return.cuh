// reduce_shared whose threads without an element return at once, as in step 03.
//
// Nobody writes their words of `partial`, and the tree adds what an earlier block left there. They
// are also missed at the barriers, which older GPUs do not forgive.
//
// Rejected by: initcheck (uninitialized) with --n 1003
#pragma once

#include "../2_reduce_shared.cuh"

namespace early_return {

// A tree inside the block, then n / kBlockSize additions in a row to one float.
template <int kBlockSize>
__global__ void reduce_shared_kernel(const float* x, float* sum, std::size_t n) {
  __shared__ float partial[kBlockSize];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  partial[threadIdx.x] = x[i];
  __syncthreads();
  for (unsigned half = kBlockSize / 2; half > 0; half /= 2) {
    // The first threads, side by side: whole warps work, the others have nothing to do.
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();  // outside the if: every thread must reach it
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

inline void reduce_shared(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;  // threads per block
  static_assert((kBlockSize & (kBlockSize - 1)) == 0, "each round halves the number of values");
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_shared_kernel<kBlockSize><<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}

}  // namespace early_return
