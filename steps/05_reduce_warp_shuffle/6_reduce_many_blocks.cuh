// Sum of a vector: far more blocks than fit at once. An SM that has finished a block takes the next
// one, so none stands idle while another still has much to do.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "block_sum.cuh"
#include "packs.cuh"

// As in step 02: a head of 0..3 elements, packs of four, a tail of 0..3.
template <int kInFlight>  // packs that a thread asks for at once
__global__ void reduce_many_blocks_kernel(const float* x, float* sum, std::size_t n) {
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
  value = block_sum(value);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

inline void reduce_many_blocks(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 1024;           // the maximum, for few atomics
  constexpr int kTile = kBlockSize * kPack;  // elements per block and load
  constexpr int kInFlight = 4;               // packs that a thread asks for at once
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  static_assert(kBlockSize >= 2 * (kPack - 1), "the first block does all the edges");
  constexpr std::size_t kMaxBlocks = 16384;          // and atomics, which queue at one address
  constexpr std::size_t kShare = kInFlight * kTile;  // elements that a block has in flight
  cudaMemsetAsync(sum, 0, sizeof(float), stream);    // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(std::min((n + kShare - 1) / kShare, kMaxBlocks));
  reduce_many_blocks_kernel<kInFlight><<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}
