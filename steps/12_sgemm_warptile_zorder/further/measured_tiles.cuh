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

// Fitted to the times of 460 products of random shapes on an NVIDIA H200 (2026-11-26). To begin
// with another GPU, `12_sgemm_warptile_zorder --tune` measures costs, and prints lines like these.
inline constexpr TunedTiles kTunedTiles[] = {
    tuned_tiles<SmallTiles>("SmallTiles", {7.1, 44.5, 42.0, 1.3, 32.4, 11.0, 1.2, 3100}),
    tuned_tiles<TallTiles, 1>("TallTiles", {7.0, 49.0, 43.2, 2.2, 25.6, 11.1, 1.0, 2500}),
    tuned_tiles<FlatTiles>("FlatTiles", {7.0, 50.4, 43.5, 1.2, 26.6, 12.3, 1.6, 3400}),
    tuned_tiles<LargeTiles>("LargeTiles", {6.2, 163.9, 159.4, 6.0, 30.5, 13.2, 3.9, 2700}),
    guarded_tiles("GuardedTiles", {5.0, 117.9, 108.6, 3.1, 0.0, 0.0, 1.3, 3300}),
    panel_tiles<WideTiles>("WideTiles", {54.3, 228.7, 232.5, 8.0, 19.3, 7.3, 0.0, 3100}),
};
// Copying A to panels; timed on an H100.
inline constexpr double kPanelsUs = 4.0, kPanelsPsPerFloat = 2.3;
// Copying a matrix to one with zeros around it.
inline constexpr double kResizeUs = 3.7, kResizePsPerFloat = 3.5;
