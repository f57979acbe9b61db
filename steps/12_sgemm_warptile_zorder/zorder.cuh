// The lanes of a warp in Z order (Morton order).
#pragma once

#include "tiling.cuh"

// Bits 0, 2 and 4 of x, moved together: undoes the interleaving of Z order.
__device__ constexpr int even_bits(int x) { return (x & 1) + (x / 4 & 1) * 2 + (x / 16 & 1) * 4; }

// Row and column of this thread's first element. The lanes of a warp lie in Z order.
template <class Tile>
__device__ int2 zorder_place() {
  const int warp = threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  constexpr bool kTall = Tile::WM / Tile::TM > Tile::WN / Tile::TN;  // 8 x 4 lanes, not 4 x 8
  const int lane_row = even_bits(kTall ? lane : lane / 2);
  const int lane_col = even_bits(kTall ? lane / 2 : lane);
  return {warp / (Tile::BN / Tile::WN) * Tile::WM + lane_row * 4,
          warp % (Tile::BN / Tile::WN) * Tile::WN + lane_col * 4};
}
