// Narrow tiles where wide ones would reach far over C's right edge.
#pragma once

#include "shares.cuh"
#include "tile_part.cuh"

// Two thirds as wide as a tile, with its stages.
template <class Tile>
struct Narrow : Tiling<Tile::BM, Tile::BN / 3 * 2, Tile::BK, Tile::WM, Tile::WN / 3 * 2, Tile::TM,
                       Tile::TN / 3 * 2, Tile::kStages, 1> {
  using Stage = typename Tile::Stage;
};

// Shares, equal in time, of wide tiles on wide_N columns; the first blocks begin with a narrow one.
struct TwoWidths : Shares {
  static constexpr int kNarrow = 7, kWide = 10;  // the time of a slice, in tenths of a wide one's
  int narrow, wide_N;
  __host__ __device__ std::int64_t begin(int block) const {
    const std::int64_t all = (std::int64_t{kWide} * shared + kNarrow * narrow) * slices;
    return (block * all / sharers - std::int64_t{kNarrow} * min(block, narrow) * slices) / kWide;
  }
};

template <class Tile>
TwoWidths make_two_widths(int M, int N, int K, int blocks) {
  const int rows = (M - 1) / Tile::BM + 1, thirds = (N - 1) / (Tile::BN / 3) + 1;
  const int narrow = (3 - thirds % 3) % 3, wide = (thirds - 2 * narrow) / 3;  // columns of tiles
  const Shares shares{(K - 1) / Tile::BK + 1, wide * rows, blocks};
  const TwoWidths both{shares, narrow * rows, wide * Tile::BN};
  if (narrow > 0 && both.narrow <= blocks && both.begin(1) > 0) return both;
  return {make_shares<Tile>(M, N, K, blocks), 0, N};
}

// Part i of this block's share: its narrow tile, numbered behind the wide ones, and then those.
template <class Tile>
__device__ TilePart part_of_two_widths(const TwoWidths& shares, int i, int M, int N) {
  const int self = blockIdx.x, narrow = self < shares.narrow, wide_N = shares.wide_N;
  if (i >= narrow) return part_of_share<Tile>(shares, i - narrow, M, wide_N);
  const auto [row, col, own_row, own_col] = tile_place<Narrow<Tile>>(self, M, N - wide_N);
  const TilePlace place{row, wide_N + col, own_row, wide_N + own_col};
  return {place, Narrow<Tile>::BN, shares.shared, 0, shares.slices, false};
}
