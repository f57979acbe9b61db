// reduce_two_pass that never frees the blocks' sums.
//
// Every call keeps some memory for ever. The result is right, until after many calls there is none
// left.
//
// Rejected by: memcheck (leak) with --n 5003
#pragma once

#include "../kernel.cuh"

namespace leak {

// The blocks store their sums; a second launch, of one block, adds those up.
// Who adds what depends on n and the head alone: every run, the same bits.
__global__ void reduce_two_pass_kernel(const float* x, float* sums, std::size_t n) {
  const float value = block_sum(grid_stride_sum(x, n));
  if (threadIdx.x == 0) sums[blockIdx.x] = value;
}

inline void reduce_two_pass(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t kMaxBlocks = 1024;  // not the GPU's SM count: the bits would follow it
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((n + kTile - 1) / kTile, 1, kMaxBlocks));
  float* sums = nullptr;  // (blocks)
  // Where there is no memory, the caller finds the error as it does that of a launch.
  if (cudaMallocAsync(&sums, blocks * sizeof(float), stream) != cudaSuccess) return;
  reduce_two_pass_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sums, n);
  reduce_two_pass_kernel<<<1, kBlockSize, 0, stream>>>(sums, sum, blocks);
}

}  // namespace leak
