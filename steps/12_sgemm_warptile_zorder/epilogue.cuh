// Stores a tile.
#pragma once

#include "store4.cuh"

// Epilogue: stores this thread's part of a tile, (BM, BN), times one. What is above or to the left
// belongs to another tile.
template <class Tile>
__device__ void epilogue(const float (&sum)[Tile::TM][Tile::TN], float one, float* to,
                         std::size_t pitch, int above, int left, int row, int col) {
#pragma unroll
  for (int m = 0; m < Tile::TM; ++m) {
#pragma unroll
    for (int n = 0; n < Tile::TN; n += 4) {
      const int r = row + m / 4 * Tile::kStepM + m % 4, c = col + n / 4 * Tile::kStepN;
      float v[4];
      for (int i = 0; i < 4; ++i) v[i] = sum[m][n + i] * one;
      if (above == 0 && left == 0) {
        store4(to + r * pitch + c, v, 4);
      } else if (r >= above) {
        for (int i = 0; i < 4; ++i) {
          if (c + i >= left) to[r * pitch + c + i] = v[i];
        }
      }
    }
  }
}
