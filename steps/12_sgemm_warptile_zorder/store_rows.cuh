// Stores a tile row by row.
#pragma once

#include "tiling.cuh"

// Epilogue: stores this thread's part of a tile, (BM, BN), times one, if it lies from (top, left)
// on and before (bottom, right). A warp puts its rows into shared memory first, kStepM at a time;
// then its lanes store neighboring floats.
template <class Tile>
__device__ void store_rows(const float (&sum)[Tile::TM][Tile::TN], float one, float* to,
                           std::size_t pitch, int top, int left, int bottom, int right, int row,
                           int col, void* shared) {
  constexpr int WN = Tile::WN, kStepM = Tile::kStepM;
  const int warp_row = row / Tile::WM * Tile::WM, warp_col = col / WN * WN;
  const int warp = threadIdx.x / kWarpSize, lane = threadIdx.x % kWarpSize;
  auto* const rows = static_cast<float(*)[WN + 4]>(shared) + warp * kStepM;
#pragma unroll
  for (int m = 0; m < Tile::TM; ++m) {
#pragma unroll
    for (int n = 0; n < Tile::TN; n += 4) {
      float* const at = &rows[row - warp_row + m % 4][col - warp_col + n / 4 * Tile::kStepN];
      const float* const v = &sum[m][n];
      *reinterpret_cast<float4*>(at) = make_float4(v[0] * one, v[1] * one, v[2] * one, v[3] * one);
    }
    if (m % 4 < 3) continue;
    __syncwarp();
    const int first = warp_row + m / 4 * kStepM;  // row of the tile
    const int begin = max(top - first, 0), end = min(bottom - first, kStepM);
#pragma unroll
    for (int c = lane; c < WN; c += kWarpSize) {
      if (warp_col + c < left || warp_col + c >= right) continue;
      float* at = to + (first + begin) * pitch + warp_col + c;
#pragma unroll 8
      for (int r = begin; r < end; ++r, at += pitch) *at = rows[r][c];
    }
    __syncwarp();
  }
}
