// The rest of K after the whole slices, copied asynchronously.
#pragma once

#include "fragments.cuh"

// Adds the product of A, (BM, depth), and B, (depth, BN), to the tile's sums; depth < BK.
template <class Tile>
__device__ void remaining_steps(const typename Tile::Stage& stage, int depth, int row, int col,
                                float (&sum)[Tile::TM][Tile::TN]) {
#pragma unroll 1
  for (int k = 0; k < depth; ++k) {
    float a[Tile::TM], b[Tile::TN];
    load_fragments<Tile>(a, b, stage, k, row, col);
    multiply(a, b, sum);
  }
}
