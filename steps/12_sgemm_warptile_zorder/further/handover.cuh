// Stream-K without a second kernel: a block adds the parts of a tile that other blocks put aside.
#pragma once

#include <cuda/atomic>

#include "../../instructions/bulk_prefetch.cuh"
#include "panel_epilogue.cuh"

using WarpCounter = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// Adds parts, (BM, BN), of the blocks from `first` up to the one before: they all started earlier.
template <class Tile>
struct OtherParts {
  const float* parts;
  unsigned *ready, first;  // ready: how many of a block's warps have stored theirs
  template <int kBatch>
  __device__ void operator()(int begin, int row, int col, float4 (&v)[kBatch]) const {
#pragma unroll 1
    for (unsigned block = first; block < blockIdx.x; ++block) {
      const WarpCounter warps(ready[block]);
      while (begin == 0 && warps.load(cuda::memory_order_acquire) < Tile::kBlockSize / 32) continue;
      const float* const part = parts + block * std::size_t{Tile::BM * Tile::BN};
      constexpr int kOwn = Tile::BM * Tile::BN / Tile::kBlockSize * 32;  // of a warp; to L2 first
      if (begin == 0 && threadIdx.x % 32 == 0)
        bulk_prefetch(part + threadIdx.x / 32 * kOwn, 4 * kOwn);
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const auto [r, c] = float4_offset<Tile>(begin + i);
        add4(v[i], part + (row * Tile::BN + col + r * Tile::BN + c));
      }
    }
  }
};
