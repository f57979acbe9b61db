// Stores a tile.
#pragma once

#include "store4.cuh"

// Epilogue: stores this thread's part of a tile, (BM, BN), times one. Rows above and columns to the
// left belong to another tile.
template <class Tile>
__device__ void epilogue(float (&sum)[Tile::TM][Tile::TN], float one, float* to, std::size_t pitch,
                         int above, int left, int row, int col) {
#pragma unroll
  for (int m = 0; m < Tile::TM; ++m) {
#pragma unroll
    for (int n = 0; n < Tile::TN; ++n) sum[m][n] *= one;
  }
  const bool plain = above == 0 && left == 0 && pitch % 4 == 0 &&
                     reinterpret_cast<std::uintptr_t>(to) % sizeof(float4) == 0;
#pragma unroll
  for (int m = 0; m < Tile::TM; ++m) {
#pragma unroll
    for (int n = 0; n < Tile::TN; n += 4) {
      const int r = row + m / 4 * Tile::kStepM + m % 4, c = col + n / 4 * Tile::kStepN;
      float* const at = to + r * pitch + c;
      const float* const v = &sum[m][n];
      if (plain) {
        __stwb(reinterpret_cast<float4*>(at), make_float4(v[0], v[1], v[2], v[3]));
      } else if (r >= above) {
        for (int i = 0; i < 4; ++i) {
          if (c + i >= left) at[i] = v[i];
        }
      }
    }
  }
}
