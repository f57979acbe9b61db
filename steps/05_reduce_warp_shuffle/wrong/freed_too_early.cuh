// reduce_two_pass that frees the blocks' sums before the second launch.
//
// Both are in the order of the stream, so the second launch reads memory that is no longer ours.
// Until somebody else gets it, the sums are still there, and the result is right.
//
// Rejected by: memcheck (use_after_free) with --n 5003
#pragma once

#include "../kernel.cuh"

namespace freed_too_early {

// What the calling thread adds up of the vector: packs that lie a grid's threads apart, and no more
// than one element of the edges.
__device__ inline float grid_stride_sum(const float* x, std::size_t n) {
  const std::size_t head = min(floats_to_boundary(x), n);
  const std::size_t packs = (n - head) / kPack;
  const std::size_t edges = n - packs * kPack;  // head and tail: 0..6
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  float value = 0.0f;
  for (std::size_t first = i; first < packs; first += kInFlight * threads) {
    float4 v[kInFlight] = {};  // all on their way before the first is needed
    for (int k = 0; k < kInFlight; ++k) {
      const std::size_t pack = first + k * threads;
      if (pack < packs) v[k] = reinterpret_cast<const float4*>(x + head)[pack];
    }
    for (int k = 0; k < kInFlight; ++k) value += pack_sum(v[k]);
  }
  if (i < edges) value += x[i < head ? i : i + packs * kPack];
  return value;
}

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
  cudaFreeAsync(sums, stream);
  reduce_two_pass_kernel<<<1, kBlockSize, 0, stream>>>(sums, sum, blocks);
}

}  // namespace freed_too_early
