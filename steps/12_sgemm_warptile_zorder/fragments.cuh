// Fragments: the floats of A and of B that a thread multiplies at one k, in registers.
#pragma once

#include "float4.cuh"

// Fragment load: this thread's rows of A and columns of B, from `row` and `col` on, at step k.
template <class Tile>
__device__ void load_fragments(float (&a)[Tile::TM], float (&b)[Tile::TN],
                               const typename Tile::Stage& stage, int k, int row, int col) {
#pragma unroll
  for (int m = 0; m < Tile::TM; m += 4) copy4(&a[m], &stage.A[k][row + m / 4 * Tile::kStepM]);
#pragma unroll
  for (int n = 0; n < Tile::TN; n += 4) copy4(&b[n], &stage.B[k][col + n / 4 * Tile::kStepN]);
}

// Multiply-accumulate: the outer product of a and b is added to sum.
template <int TM, int TN>
__device__ void multiply(const float (&a)[TM], const float (&b)[TN], float (&sum)[TM][TN]) {
#pragma unroll
  for (int m = 0; m < TM; ++m) {
#pragma unroll
    for (int n = 0; n < TN; ++n) sum[m][n] += a[m] * b[n];
  }
}
