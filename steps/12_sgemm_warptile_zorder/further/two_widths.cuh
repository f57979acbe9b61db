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

// Shares, equal in time. The first blocks have a narrow tile each, and `few` slices of wide ones;
// the others have `many`, and the first `one_more` of those have one more.
struct TwoWidths : Shares {
  static constexpr double kNarrow = 0.72;  // the time of a narrow tile, where a wide one's is 1
  int narrow, wide_N, few = 0, many = 0, one_more = 0;
  __host__ __device__ std::int64_t begin(int block) const {  // no division: it is called often
    const int other = max(block - narrow, 0);
    return std::int64_t{block - other} * few + std::int64_t{other} * many + min(other, one_more);
  }
};

template <class Tile>
TwoWidths make_two_widths(int M, int N, int K, int blocks) {
  const int rows = (M - 1) / Tile::BM + 1, thirds = (N - 1) / (Tile::BN / 3) + 1;
  const int narrow = (3 - thirds % 3) % 3, wide = (thirds - 2 * narrow) / 3;  // columns of tiles
  const int wide_N = min(wide * Tile::BN, N);
  TwoWidths cut{make_shares<Tile>(M, wide_N, K, blocks), narrow * rows, wide_N};
  const double other_tiles = TwoWidths::kNarrow * (blocks - cut.narrow);
  cut.few = static_cast<int>((wide * rows - other_tiles) / blocks * cut.slices);
  if (cut.narrow >= blocks || cut.few < 1) cut = {make_shares<Tile>(M, N, K, blocks), 0, N};
  const int others = cut.sharers - cut.narrow;
  const auto left = std::int64_t{cut.shared} * cut.slices - std::int64_t{cut.few} * cut.narrow;
  cut.many = static_cast<int>(left / others), cut.one_more = static_cast<int>(left % others);
  return cut;
}

// Part i of this block's share: its narrow tile, numbered behind the wide ones, and then those.
template <class Tile>
__device__ TilePart part_of_share(const TwoWidths& shares, int i, int M, int N) {
  const int self = blockIdx.x, narrow = self < shares.narrow, wide_N = shares.wide_N;
  if (i >= narrow) return part_of_share<Tile, TwoWidths>(shares, i - narrow, M, wide_N);
  const auto [row, col, own_row, own_col] = tile_place<Narrow<Tile>>(self, M, N - wide_N);
  const TilePlace place{row, wide_N + col, own_row, wide_N + own_col};
  return {place, Narrow<Tile>::BN, shares.shared, 0, shares.slices, false};
}
