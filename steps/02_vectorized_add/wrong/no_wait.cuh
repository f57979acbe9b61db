// add_bulk that does not wait for its tiles.
//
// The threads add what shared memory happens to hold: another block's tiles, or some of theirs.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race) with --n 5003
#pragma once

#include "../kernel.cuh"

namespace no_wait {

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
  [[maybe_unused]] const BulkLoad load(tile_a, tile_b, a + first, b + first, &barrier);
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

}  // namespace no_wait
