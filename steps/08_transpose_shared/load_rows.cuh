// Loads the rows of a tile and the kEarly before them, (kEarly + kRows, kTile), into shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../instructions/cache_hints.cuh"

template <int kTile, int kDown, int kRows, int kEarly, bool kInside>
__device__ void load_rows(const float* in, std::ptrdiff_t rows, std::ptrdiff_t cols,
                          std::ptrdiff_t first_row, std::ptrdiff_t first_col, float* tile) {
  constexpr int kWarpSize = 32;
  constexpr int kPitch = kTile + 1;
  constexpr int kAcross = kTile / kWarpSize;
  constexpr int kRounds = (kEarly + kRows) / kDown;
  static_assert(kRounds * kDown == kEarly + kRows, "warps share the rows");
  const int lane = threadIdx.x;
  const int warp = threadIdx.y;
  float values[kRounds][kAcross] = {};  // all on their way before the first is needed
  const float* from = in + (first_row - kEarly + warp) * cols + first_col + lane;
#pragma unroll
  for (int i = 0; i < kRounds; ++i, from += kDown * cols) {
    const std::ptrdiff_t row = first_row - kEarly + warp + i * kDown;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      const std::ptrdiff_t col = first_col + lane + j * kWarpSize;
      if (kInside || (row >= 0 && row < rows && col < cols)) {
        const float* const at = from + j * kWarpSize;
        values[i][j] = j == kAcross - 1 ? load_l2_256b(at) : load_l2_128b(at);
      }
    }
  }
  float* const to = tile + warp * kPitch + lane;
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
#pragma unroll
    for (int j = 0; j < kAcross; ++j) to[i * kDown * kPitch + j * kWarpSize] = values[i][j];
  }
}
