// Stores a tile, whole or in part: one path for each, so that neither needs registers for the
// other.
#pragma once

#include "../store4.cuh"

// Epilogue: stores this thread's part of a tile, times one, but not rows above nor columns left.
template <class Tile>
__device__ void panel_epilogue(float (&sum)[Tile::TM][Tile::TN], float one, float* to,
                               std::size_t pitch, int above, int left, int row, int col) {
#pragma unroll
  for (int m = 0; m < Tile::TM; ++m) {
#pragma unroll
    for (int n = 0; n < Tile::TN; ++n) sum[m][n] *= one;
  }
  if (above == 0 && left == 0 && pitch % 4 == 0 &&
      reinterpret_cast<std::uintptr_t>(to) % sizeof(float4) == 0) {
#pragma unroll
    for (int m = 0; m < Tile::TM; ++m) {
#pragma unroll
      for (int n = 0; n < Tile::TN; n += 4) {
        const int r = row + m / 4 * Tile::kStepM + m % 4, c = col + n / 4 * Tile::kStepN;
        const float* const v = &sum[m][n];
        __stwb(reinterpret_cast<float4*>(to + r * pitch + c), make_float4(v[0], v[1], v[2], v[3]));
      }
    }
    return;
  }
#pragma unroll
  for (int m = 0; m < Tile::TM; ++m) {
#pragma unroll
    for (int n = 0; n < Tile::TN; ++n) {
      const int r = row + m / 4 * Tile::kStepM + m % 4, c = col + n / 4 * Tile::kStepN + n % 4;
      if (r >= above && c >= left) to[r * pitch + c] = sum[m][n];
    }
  }
}
