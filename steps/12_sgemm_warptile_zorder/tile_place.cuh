// Tile rasterization.
#pragma once

// A tile's place in C: its first element, and the first one that no earlier tile owns.
struct TilePlace {
  int row, col, own_row, own_col;
};

// Tiles are numbered down kGroup rows of tiles, then to the right. A tile that would overlap C's
// edge is moved inside.
template <class Tile>
__device__ TilePlace tile_place(int tile, int M, int N) {
  constexpr int kGroup = 8;
  const int tiles_n = (N - 1) / Tile::BN + 1;
  const int group = tile / (kGroup * tiles_n);
  const int in_group = tile % (kGroup * tiles_n);
  const int group_rows = min(kGroup, (M - 1) / Tile::BM + 1 - group * kGroup);
  const int own_row = (group * kGroup + in_group % group_rows) * Tile::BM;
  const int own_col = in_group / group_rows * Tile::BN;
  return {min(own_row, M - Tile::BM), min(own_col, N - Tile::BN), own_row, own_col};
}
