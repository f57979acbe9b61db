// Sum of a vector: a block adds up its elements in shared memory, each with its neighbor first.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// A tree inside the block, then n / kBlockSize additions in a row to one float.
template <int kBlockSize>
__global__ void reduce_interleaved_kernel(const float* x, float* sum, std::size_t n) {
  __shared__ float partial[kBlockSize];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0.0f;  // no early return: barriers follow
  __syncthreads();
  for (unsigned stride = 1; stride < kBlockSize; stride *= 2) {
    // Every second thread, every fourth, ...: few lanes in each warp, so most warps stay busy.
    if (threadIdx.x % (2 * stride) == 0) partial[threadIdx.x] += partial[threadIdx.x + stride];
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
