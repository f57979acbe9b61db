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

// Fitted to the times of 592 products of random shapes on an NVIDIA H200 (2026-11-27). To begin
// with another GPU, `12_sgemm_warptile_zorder --tune` measures costs, and prints lines like these.
inline constexpr TunedTiles kTunedTiles[] = {
    tuned_tiles<SmallTiles>("SmallTiles", {6.2, 41.4, 40.6, 0.7, 24.0, 12.1, 0.6, 3700}),
    tuned_tiles<TallTiles, 1>("TallTiles", {5.7, 45.9, 42.5, 0.8, 25.8, 13.0, 0.4, 2000}),
    tuned_tiles<FlatTiles>("FlatTiles", {5.6, 45.6, 42.0, 0.7, 27.0, 13.7, 0.9, 2700}),
    tuned_tiles<LargeTiles>("LargeTiles", {6.3, 158.1, 160.5, 4.0, 26.9, 15.7, 2.1, 2500}),
    tuned_tiles<CrowdedTiles, 1>("CrowdedTiles", {5.6, 49.1, 42.3, 0.7, 27.2, 13.5, 0.2, 2100}),
    tuned_tiles<SquareTiles, 1>("SquareTiles", {4.7, 27.4, 25.3, 0.4, 13.7, 8.1, 0.2, 1700}),
    tuned_tiles<NarrowTiles, 1>("NarrowTiles", {4.6, 33.3, 25.5, 0.3, 27.7, 11.4, 0.2, 2100}),
    tuned_tiles<LowTiles, 4, false>("LowTiles", {4.9, 26.0, 26.6, 0.1, 16.3, 9.5, 0.3, 2300}),
    guarded_tiles("GuardedTiles", {3.5, 135.1, 109.3, 1.6, 0.0, 0.0, 1.6, 2000}),
    panel_tiles<WideTiles>("WideTiles", {54.3, 228.7, 232.5, 8.0, 19.3, 7.3, 0.0, 3100}),
};
// Copying A to panels; timed on an H100.
inline constexpr double kPanelsUs = 4.0, kPanelsPsPerFloat = 2.3;
// Copying a matrix to one with zeros around it.
inline constexpr double kResizeUs = 3.7, kResizePsPerFloat = 3.5;
