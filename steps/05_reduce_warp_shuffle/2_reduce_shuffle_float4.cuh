// Sum of a vector: each thread takes four elements, by one 128-bit load.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "block_sum.cuh"
#include "packs.cuh"

// As in step 02: a head of 0..3 elements, packs of four, a tail of 0..3.
__global__ void reduce_shuffle_float4_kernel(const float* x, float* sum, std::size_t n) {
  const std::size_t head = min(floats_to_boundary(x), n);
  const std::size_t packs = (n - head) / kPack;
  const std::size_t edges = n - packs * kPack;  // head and tail: 0..6
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = 0.0f;
  if (i < packs) value = pack_sum(reinterpret_cast<const float4*>(x + head)[i]);
  if (i < edges) value += x[i < head ? i : i + packs * kPack];
  value = block_sum(value);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

inline void reduce_shuffle_float4(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;            // threads per block
  constexpr int kTile = kBlockSize * kPack;  // elements per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  static_assert(kBlockSize >= 2 * (kPack - 1), "the first block does all the edges");
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kTile - 1) / kTile);
  reduce_shuffle_float4_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}
