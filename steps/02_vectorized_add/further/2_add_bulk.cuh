// Vector addition, c[i] = a[i] + b[i]: one thread orders bulk copies (TMA) of a block's tiles of a
// and b, so the number of blocks on an SM fixes the bytes in flight: 6 KiB per block.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../instructions/bulk_copy.cuh"
#include "../../instructions/memory_barrier.cuh"
#include "../packs.cuh"

// A vector is a head up to a 16-byte boundary, then tiles, then a tail shorter than a tile.
template <int kTile>
__global__ void add_bulk_kernel(const float* a, const float* b, float* c, std::size_t n,
                                std::size_t head) {
  __shared__ alignas(128) float4 tile_a[kTile / kPack];
  __shared__ alignas(128) float4 tile_b[kTile / kPack];
  __shared__ std::uint64_t arrived;
  const std::size_t tiles = (n - head) / kTile;
  const std::size_t edges = n - tiles * kTile;  // head and tail, or all n
  const std::size_t first = head + std::size_t{blockIdx.x} * kTile;
  const unsigned pack = threadIdx.x;  // of the tile: the one that this thread adds
  if (kHasBulkCopy && blockIdx.x < tiles) {
    if (threadIdx.x == 0) {
      memory_barrier_init(&arrived, 1);
      fence_shared_for_bulk_copy();
      memory_barrier_arrive_expect(&arrived, sizeof(tile_a) + sizeof(tile_b));
      bulk_copy(tile_a, a + first, sizeof(tile_a), &arrived);
      bulk_copy(tile_b, b + first, sizeof(tile_b), &arrived);
    }
    __syncthreads();  // nobody waits at a barrier that is not initialized yet
    while (!memory_barrier_try_wait(&arrived, 0)) {
    }
  }
  if (blockIdx.x < tiles && pack < kTile / kPack) {
    if (!kHasBulkCopy) {  // before sm_90, each thread copies its own pack, as in add_async
      __pipeline_memcpy_async(tile_a + pack, a + first + kPack * pack, sizeof(float4));
      __pipeline_memcpy_async(tile_b + pack, b + first + kPack * pack, sizeof(float4));
      __pipeline_commit();
      __pipeline_wait_prior(0);
    }
    const float4 u = tile_a[pack];
    const float4 v = tile_b[pack];
    const float4 sum = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    reinterpret_cast<float4*>(c + first)[pack] = sum;
  }
  // 64 bits: the product of two 32-bit numbers would wrap around beyond 2^32.
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < edges) {  // one element for each of the grid's first threads
    const std::size_t edge = i < head ? i : i + tiles * kTile;
    c[edge] = a[edge] + b[edge];
  }
}

inline void add_bulk(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;  // threads per block
  constexpr int kTile = 768;       // floats of each vector per block
  static_assert(kTile % kPack == 0 && kTile / kPack <= kBlockSize, "a thread adds one pack");
  if (n == 0) return;  // a grid of no blocks would be a launch error
  const std::size_t head = head_elements(a, b, c, n);
  const std::size_t tiles = (n - head) / kTile;
  const std::size_t edges = n - tiles * kTile;
  // A grid has up to 2^31 - 1 blocks in x: enough for vectors of more than 2 TiB.
  const auto blocks = static_cast<unsigned>(std::max(tiles, (edges + kBlockSize - 1) / kBlockSize));
  add_bulk_kernel<kTile><<<blocks, kBlockSize, 0, stream>>>(a, b, c, n, head);
}
