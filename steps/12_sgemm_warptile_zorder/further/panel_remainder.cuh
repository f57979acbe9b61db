// The rest of K after the whole slices.
#pragma once

#include <cstddef>

#include "../fragments.cuh"

// Adds the product of a panel's rows, (depth, BM), and B, (depth, BN), to the tile's sums;
// depth < BK.
template <class Tile>
__device__ void panel_remainder(typename Tile::Stage& stage, const float* A, const float* B,
                                std::size_t ldb, int depth, int row, int col,
                                float (&sum)[Tile::TM][Tile::TN]) {
#pragma unroll 1
  for (int i = threadIdx.x; i < depth * Tile::BM; i += Tile::kBlockSize) {
    stage.A[i / Tile::BM][i % Tile::BM] = A[i];
  }
#pragma unroll 1
  for (int i = threadIdx.x; i < depth * Tile::BN; i += Tile::kBlockSize) {
    stage.B[i / Tile::BN][i % Tile::BN] = B[i / Tile::BN * ldb + i % Tile::BN];
  }
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < depth; ++k) {
    float a[Tile::TM], b[Tile::TN];
    load_fragments<Tile>(a, b, stage, k, row, col);
    multiply(a, b, sum);
  }
}
