// Stores a tile's segment of each output row. The tile (kEarly + kRows, kTile) is in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

template <int kRows, int kTile, int kDown, int kEarly, bool kInside>
__device__ void store_segments(float* out, std::size_t rows, std::size_t cols,
                               std::size_t first_row, std::size_t first_col, const float* tile) {
  constexpr int kWarpSize = 32;
  constexpr int kSector = 8;         // floats
  constexpr int kPitch = kTile + 1;  // one word of padding per row
  static_assert(kDown % kSector == 0, "the output rows of a warp lie alike in sectors");
  static_assert((kRows & (kRows - 1)) == 0, "y & (kRows - 1) is a row of the tile");
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  // The segment starts this many elements before the tile.
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(out) / sizeof(float);
  const int shift = (start + (first_col + warp) * rows) % kSector;
  const bool last = first_row + kRows >= rows;  // its segments go on to the end
  const std::size_t end = last ? rows : first_row + kRows - shift;
  const float* segment = tile + (kEarly - shift) * kPitch + warp;
  float* to = out + (first_col + warp) * rows + first_row - shift;
#pragma unroll 4
  for (int i = 0; i < kTile / kDown; ++i, segment += kDown, to += kDown * rows) {
    if constexpr (kInside) {
      // A warp's stores start on lines of 128 bytes. The first one takes what of the segment lies
      // before its first whole line, and what lies behind its last one.
      const int y = lane - reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % kWarpSize;
      const int around = y & (kRows - 1);
      to[around] = segment[around * kPitch];
#pragma unroll
      for (int j = kWarpSize; j < kRows; j += kWarpSize) to[y + j] = segment[(y + j) * kPitch];
      continue;
    }
    const int x = warp + i * kDown;
#pragma unroll
    for (int j = 0; j * kWarpSize < kEarly + kRows; ++j) {
      const int y = lane + j * kWarpSize;
      const std::size_t row = first_row + y - shift;
      const std::size_t col = first_col + x;
      if (row < end && col < cols) to[y] = segment[y * kPitch];
    }
  }
}
