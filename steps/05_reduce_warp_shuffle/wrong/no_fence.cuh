// reduce_two_pass in one launch: the block that finishes last adds up what the blocks stored. It
// lacks a __threadfence() between the store and the count.
//
// Without one, the count may arrive before the sum that it announces: the last block then reads an
// old value. It shows once in a million runs, on one GPU and not on another.
//
// Rejected by: racecheck (race) with --n 5003
#pragma once

#include "../kernel.cuh"

namespace no_fence {

__device__ unsigned blocks_done = 0;

// The blocks store their sums; the one that finishes last adds those up.
// Who adds what depends on n and the head alone: every run, the same bits.
__global__ void reduce_two_pass_kernel(const float* x, float* sums, float* sum, std::size_t n) {
  float value = block_sum(grid_stride_sum(x, n));
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = value;
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  value = 0.0f;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) value += sums[b];
  value = block_sum(value);
  if (threadIdx.x == 0) *sum = value;
}

inline void reduce_two_pass(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t kMaxBlocks = 1024;  // not the GPU's SM count: the bits would follow it
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((n + kTile - 1) / kTile, 1, kMaxBlocks));
  float* sums = nullptr;  // (blocks)
  // Where there is no memory, the caller finds the error as it does that of a launch.
  if (cudaMallocAsync(&sums, blocks * sizeof(float), stream) != cudaSuccess) return;
  reduce_two_pass_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sums, sum, n);
  cudaFreeAsync(sums, stream);
}

}  // namespace no_fence
