// Tiles for products of few rows.
#pragma once

#include "22_sgemm_few_rows.cuh"
#include "thin_tiles.cuh"

// sgemm_few_rows.
constexpr ThinTiles row_tiles(const char* name, const ThinCosts& costs) {
  return {.name = name,
          .BM = kMostRows,
          .BN = kFewRowsBlock,
          .blocks_per_sm = kFewRowsBlocksPerSm,
          .costs = costs,
          .launch = few_rows_launch<>,
          .most_M = kMostRows,
          .shortest_part = 16,
          .slice_floats = kFewRowsSlice};
}

// The same for a row or two, which take no time beside loading B. There are many short parts, of
// which an SM that is done early takes more.
constexpr ThinTiles two_row_tiles(const char* name, const ThinCosts& costs) {
  ThinTiles tiles = row_tiles(name, costs);
  tiles.most_M = 2;
  tiles.least_N = kFewRowsBlock;
  tiles.shortest_part = 512;
  tiles.part_turns = 16;
  return tiles;
}
