// The rest of K after the whole slices.
#pragma once

#include "fragments.cuh"

// Adds the product of A, (BM, depth), and B, (depth, BN), to the tile's sums; depth < BK.
template <class Tile>
__device__ void remainder(typename Tile::Stage& stage, const float* A, std::size_t lda,
                          const float* B, std::size_t ldb, int depth, int row, int col,
                          float (&sum)[Tile::TM][Tile::TN]) {
#pragma unroll 1
  for (int i = threadIdx.x; i < Tile::BM * Tile::BK; i += Tile::kBlockSize) {
    const int r = i / Tile::BK, c = i % Tile::BK;
    if (c < depth) stage.A[c][r] = A[r * lda + c];
  }
#pragma unroll 1
  for (int i = threadIdx.x; i < depth * Tile::BN; i += Tile::kBlockSize) {
    const int r = i / Tile::BN, c = i % Tile::BN;
    stage.B[r][c] = B[r * ldb + c];
  }
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < depth; ++k) {
    float a[Tile::TM], b[Tile::TN];
    load_fragments<Tile>(a, b, stage, k, row, col);
    multiply(a, b, sum);
  }
}
