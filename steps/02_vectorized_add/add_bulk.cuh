// Vector addition with the copy engine: a block's tiles come into shared memory by themselves.
//
// How many bytes are under way is not left to what the threads happen to ask for: a block orders
// its two tiles, 6 KiB, and an SM holds eight blocks. With more, the requests of many blocks mix,
// and the memory has to open more of its pages at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "bulk_load.cuh"

// [add_bulk]
// As in add_float4, with tiles in the place of packs. The last block does the head and the tail.
__global__ void __launch_bounds__(kBulkBlockSize)
    add_bulk_kernel(const float* a, const float* b, float* c, std::size_t n) {
  static_assert(kBulkTile % kBulkPack == 0 && kBulkTile / kBulkPack <= kBulkBlockSize,
                "a thread adds one pack");
  __shared__ alignas(128) float tile_a[kBulkTile];
  __shared__ alignas(128) float tile_b[kBulkTile];
  __shared__ std::uint64_t barrier;
  const std::size_t head = min(floats_to_boundary(a), n);
  const std::size_t tiles = (n - head) / kBulkTile;
  if (blockIdx.x == tiles) {
    const std::size_t edges = n - tiles * kBulkTile;
    for (std::size_t i = threadIdx.x; i < edges; i += kBulkBlockSize) {
      const std::size_t edge = i < head ? i : i + tiles * kBulkTile;
      c[edge] = a[edge] + b[edge];
    }
    return;  // the whole block
  }
  const std::size_t first = head + std::size_t{blockIdx.x} * kBulkTile;
  const BulkLoad load(tile_a, tile_b, a + first, b + first, &barrier);
  load.wait();
  const int i = threadIdx.x;
  if (i < kBulkTile / kBulkPack) {
    const float4 u = reinterpret_cast<const float4*>(tile_a)[i];
    const float4 v = reinterpret_cast<const float4*>(tile_b)[i];
    const float4 sum = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    reinterpret_cast<float4*>(c + first)[i] = sum;
  }
}

inline void add_bulk(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t head = floats_to_boundary(a);
  if (floats_to_boundary(b) != head || floats_to_boundary(c) != head) {
    return add(a, b, c, n, stream);  // no head puts all three on a boundary
  }
  const std::size_t tiles = n < head ? 0 : (n - head) / kBulkTile;
  const auto blocks = static_cast<unsigned>(tiles + 1);
  add_bulk_kernel<<<blocks, kBulkBlockSize, 0, stream>>>(a, b, c, n);
}
// [add_bulk]
