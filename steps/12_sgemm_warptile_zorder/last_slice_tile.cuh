// One tile, from prologue to epilogue.
#pragma once

#include "fragments.cuh"
#include "rest.cuh"
#include "store4.cuh"
#include "tiling.cuh"
#include "turning.cuh"
#include "zorder.cuh"

#include "copies_to_depth.cuh"
#include "spread_main_loop.cuh"

#include "epilogue.cuh"
#include "tile_place.cuh"

#include "store_rows.cuh"

// Multiplies (BM, depth) of A, from its column `first` on, by (depth, BN) of B, to a tile that may
// hang over the edges of C. The caller has padded A to BM rows, and B to BN columns.
// `one` is 1, but the compiler must not know: see epilogue.cuh.
template <class Tile, int kPack>
__device__ void multiply_tile_to_depth(  //
    const float* A, const float* B, float* C, int M, int N, int K, int tile, int first, int depth,
    float* partial, float one) {
  constexpr int BK = Tile::BK;
  constexpr int TM = Tile::TM, TN = Tile::TN;
  extern __shared__ float4 storage[];
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage);  // kStages of them
  const std::size_t lda = K, ldb = max(N, Tile::BN), ldc = N;  // 64 bits: offsets pass 2^31

  const auto [inside_row, inside_col, own_row, own_col] = tile_place<Tile>(tile, M, N);
  const int tile_row = max(inside_row, 0), tile_col = max(inside_col, 0);
  A += tile_row * lda + first;     // (BM, depth)
  B += first * ldb + tile_col;     // (depth, BN)
  C += tile_row * ldc + tile_col;  // (BM, BN)
  const auto [row, col] = zorder_place<Tile>();

  float sum[TM][TN] = {};
  const int slices = depth / BK;
  constexpr int kAtOnce = BK * (Tile::BM + Tile::BN / kPack) / (4 * Tile::kBlockSize);
  CopiesToDepth<Tile, kPack, kAtOnce> copies(stages, A, lda, B, ldb, depth);
  if (depth > 0) {
    main_loop<Tile, copies.kParts, multiply_turning<TM, TN>>(stages, row, col, copies, slices, sum);
  }
  remaining_steps<Tile>(stages[slices % Tile::kStages], depth % BK, row, col, sum);
  __pipeline_wait_prior(0);

  // Once, before the code branches: in each branch, it would take more registers.
#pragma unroll
  for (int m = 0; m < TM; ++m) {
#pragma unroll
    for (int n = 0; n < TN; ++n) sum[m][n] *= one;
  }
  const bool whole = depth == K;
  float* const to = whole ? C : partial;
  const std::size_t pitch = whole ? ldc : Tile::BN;
  const int top = whole ? own_row - tile_row : 0, left = whole ? own_col - tile_col : 0;
  const int bottom = whole ? M - tile_row : Tile::BM, right = whole ? N - tile_col : Tile::BN;
  const bool inside = top == 0 && left == 0 && bottom >= Tile::BM && right >= Tile::BN;
  if (inside && pitch % 4 == 0) {
    return epilogue<Tile>(sum, one, to, pitch, top, left, row, col);
  }
  __syncthreads();  // all stages are free
  store_rows<Tile>(sum, one, to, pitch, top, left, bottom, right, row, col, stages);
}
