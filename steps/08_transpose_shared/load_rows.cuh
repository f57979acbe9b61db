// Loads a tile and the kEarly rows before it, (kEarly + kRows, kTile), into shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../instructions/cache_hints.cuh"

template <int kRows, int kTile, int kDown, int kEarly, bool kInside>
__device__ void load_rows(const float* in, std::size_t rows, std::size_t cols,
                          std::size_t first_row, std::size_t first_col, float* tile) {
  constexpr int kWarpSize = 32;
  constexpr int kAcross = kTile / kWarpSize;
  constexpr int kPitch = kTile + 1;  // one word of padding per row
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  const float* from = in + (first_row + warp - kEarly) * cols + first_col + lane;
  constexpr int kLoads = (kEarly + kRows) / kDown;
  // Rows before the first of the matrix wrap around, to more than there are.
  float values[kLoads][kAcross] = {};  // all on their way
#pragma unroll
  for (int i = 0; i < kLoads; ++i, from += kDown * cols) {
    const std::size_t row = first_row + warp + i * kDown - kEarly;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      const std::size_t col = first_col + lane + j * kWarpSize;
      if (kInside || (row < rows && col < cols)) {
        // A row of the tile ends inside a line of 128 bytes. The last load of a row has the L2
        // cache fetch the next line from memory, too, where the tile beside this one begins.
        const float* const at = from + j * kWarpSize;
        values[i][j] = j == kAcross - 1 ? load_l2_256b(at) : load_l2_128b(at);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    float* const to = tile + (warp + i * kDown) * kPitch + lane;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) to[j * kWarpSize] = values[i][j];
  }
}
