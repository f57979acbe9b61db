// One tile, from prologue to epilogue.
#pragma once

#include "fragments.cuh"
#include "remainder.cuh"
#include "store4.cuh"
#include "tiling.cuh"
#include "turning.cuh"
#include "zorder.cuh"

#include "copies.cuh"
#include "spread_main_loop.cuh"

#include "epilogue.cuh"
#include "tile_place.cuh"

#include "store_rows.cuh"

// How many copies a thread starts at once: at least three, and in parts of equal size.
template <class Tile, int kPack>
__device__ constexpr int copies_at_once() {
  constexpr int kCopies = Tile::BK * (Tile::BM + Tile::BN / kPack) / Tile::kBlockSize;
  int parts = Tile::BK / 2;  // the last one comes before the last step
  while (kCopies % parts != 0 || kCopies / parts < 3) parts /= 2;
  return kCopies / parts;
}

// Multiplies (BM, depth) of A, from its column `first` on, by (depth, BN) of B, to a tile of C, of
// which the tile may hang over: A has BM rows all the same, and B has BN columns.
// `one` is 1, but the compiler must not know: see epilogue.cuh.
template <class Tile, int kPack>
__device__ void multiply_overhanging_tile(  //
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
  Copies<Tile, kPack, copies_at_once<Tile, kPack>()> copies(stages, A, lda, B, ldb, slices);
  if (slices > 0) {
    main_loop<Tile, copies.kParts, multiply_turning<TM, TN>>(stages, row, col, copies, slices, sum);
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // all stages are free
  if (const int done = slices * BK; done < depth) {
    remainder<Tile>(stages[0], A + done, lda, B + done * ldb, ldb, depth - done, row, col, sum);
  }

  const bool whole = depth == K;
  float* const to = whole ? C : partial;
  const std::size_t pitch = whole ? ldc : Tile::BN;
  const int top = whole ? own_row - tile_row : 0, left = whole ? own_col - tile_col : 0;
  const int bottom = whole ? M - tile_row : Tile::BM, right = whole ? N - tile_col : Tile::BN;
  const bool inside = top == 0 && left == 0 && bottom >= Tile::BM && right >= Tile::BN;
  if (kPack == 4 && inside && pitch % 4 == 0) {
    return epilogue<Tile>(sum, one, to, pitch, top, left, row, col);
  }
  __syncthreads();  // all stages are free
  store_rows<Tile>(sum, one, to, pitch, top, left, bottom, right, row, col, stages);
}
