// Stores a tile's segment of each output row, from a tile (kEarly + kRows, kTile) in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

template <int kTile, int kDown, int kRows, int kEarly, bool kInside>
__device__ void store_segments(float* out, std::ptrdiff_t rows, std::ptrdiff_t cols,
                               std::ptrdiff_t first_row, std::ptrdiff_t first_col,
                               const float* tile) {
  constexpr int kWarpSize = 32;
  constexpr int kSector = 8;
  constexpr int kPitch = kTile + 1;
  static_assert(kDown % kSector == 0, "a warp's output rows lie alike in sectors");
  static_assert((kRows & (kRows - 1)) == 0, "y & (kRows - 1) is a row");
  const int lane = threadIdx.x;
  const int warp = threadIdx.y;
  // The segment starts this many elements before the tile, on a sector.
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(out) / sizeof(float);
  const int shift = (start + (first_col + warp) * rows) % kSector;
  const float* from = tile + (kEarly - shift) * kPitch + warp;
  float* to = out + (first_col + warp) * rows + first_row - shift;
#pragma unroll 4
  for (int x = 0; x < kTile; x += kDown, from += kDown, to += kDown * rows) {
    if constexpr (kInside) {
      // A warp's stores start on lines. The first one takes what of the segment lies before its
      // first line, and what lies behind its last one.
      const int in_line = reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % kWarpSize;
      const int y = lane - in_line;
      const int around = y & (kRows - 1);
      to[around] = from[around * kPitch];
#pragma unroll
      for (int i = kWarpSize; i < kRows; i += kWarpSize) to[y + i] = from[(y + i) * kPitch];
    } else {
      const bool last = first_row + kRows >= rows;  // its segments go on to the end
      const std::ptrdiff_t end = last ? rows : first_row - shift + kRows;
#pragma unroll
      for (int i = 0; i < kRows + kEarly; i += kWarpSize) {
        const int y = lane + i;
        const std::ptrdiff_t row = first_row - shift + y;
        const bool mine = row >= 0 && row < end && first_col + warp + x < cols;
        if (mine) to[y] = from[y * kPitch];
      }
    }
  }
}
