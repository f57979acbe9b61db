// The tiles that sgemm_tuned has, and their costs.
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
  tiles.launch_whole = tiles.launch_aligned = tiles.launch_any = sgemm_wide_launch<Tiles>;
  return tiles;
}

// Fitted to the times of 849 products of random shapes on an NVIDIA H200 (2026-11-27). To begin
// with another GPU, `12_sgemm_warptile_zorder --tune` measures costs, and prints lines like these.
inline constexpr TunedTiles kTunedTiles[] = {
    tuned_tiles<SmallTiles>("SmallTiles", {7.6, 44.4, 41.8, 1.3, 24.1, 10.4, 0.9, 3200}),
    tuned_tiles<TallTiles, 1>("TallTiles", {7.7, 45.5, 42.2, 1.8, 25.4, 12.2, 0.8, 1300}),
    tuned_tiles<FlatTiles>("FlatTiles", {7.6, 48.9, 42.0, 1.3, 24.6, 11.7, 1.6, 2600}),
    tuned_tiles<LargeTiles>("LargeTiles", {10.3, 164.4, 158.2, 6.4, 37.5, 11.8, 3.9, 1300}),
    guarded_tiles("GuardedTiles", {3.2, 152.3, 104.0, 1.5, 0.0, 0.0, 1.7, 2200}),
    panel_tiles<WideTiles>("WideTiles", {54.3, 228.7, 232.5, 8.0, 19.3, 7.3, 0.0, 3100}),
};
// Copying A to panels; timed on an H100.
inline constexpr double kPanelsUs = 4.0, kPanelsPsPerFloat = 2.3;
// Copying a matrix to one with zeros around it.
inline constexpr double kResizeUs = 3.7, kResizePsPerFloat = 3.5;
