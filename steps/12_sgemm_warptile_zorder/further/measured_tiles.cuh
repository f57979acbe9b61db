// The tiles that sgemm_tuned has, with their measured costs.
#pragma once

#include "../tuned_tiles.cuh"
#include "3_sgemm_wide.cuh"

using WideTiles = BulkTile<Tiling<256, 192, 8, 64, 96, 16, 12, 8, 1>>;  // for A in panels

// The tiles of sgemm_wide.
template <class Tiles>
constexpr TunedTiles panel_tiles(const char* name, const TileCosts& costs) {
  TunedTiles tiles = tuned_tiles<LargeTiles>(name, costs);
  tiles.BM = Tiles::BM;
  tiles.BN = Tiles::BN;
  tiles.BK = Tiles::BK;
  tiles.in_panels = true;
  tiles.shared_bytes = Tiles::kStages * sizeof(typename Tiles::Stage);
  tiles.launch_aligned = tiles.launch_any = sgemm_wide_launch<Tiles>;
  return tiles;
}

// Measured on an NVIDIA H200 by `12_sgemm_warptile_zorder --tune`, which prints the costs of the
// GPU that it runs on. Those of WideTiles are LargeTiles', scaled by the cycles per step; the last
// ones, of unaligned rows, are fitted to the times of products of random shapes (2026-11-26).
inline constexpr TunedTiles kTunedTiles[] = {
    tuned_tiles<SmallTiles>("SmallTiles", {6.8, 44.3, 39.9, 1.5, 19.4, 9.9, 0.8}),
    tuned_tiles<TallTiles, 1>("TallTiles", {6.5, 47.6, 41.2, 2.5, 18.7, 10.6, 1.5}),
    tuned_tiles<LargeTiles>("LargeTiles", {9.7, 156.9, 156.6, 4.3, 21.9, 16.2, 13.8}),
    guarded_tiles("GuardedTiles", {7.3, 111.9, 106.9, 1.6, 0.0, 0.0, 0.0}),
    panel_tiles<WideTiles>("WideTiles", {9.7, 227.0, 226.7, 5.0, 26.0, 19.0, 0.0}),
};
// Copying A to panels; timed on an H100.
inline constexpr double kPanelsUs = 4.0, kPanelsPsPerFloat = 2.3;
// Copying a matrix to one with zeros around it, or back.
inline constexpr double kResizeUs = 3.7, kResizePsPerFloat = 3.5;
