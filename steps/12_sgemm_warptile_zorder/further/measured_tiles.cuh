// The tiles that sgemm_tuned has, and their costs.
#pragma once

#include "../group_tiles.cuh"
#include "../tuned_tiles.cuh"
#include "7_sgemm_two_widths.cuh"

// For A in panels.
using WideTiles = BulkTile<Tiling<256, 192, 8, 64, 96, 16, 12, 8, 1>>;
using WideTallTiles = BulkTile<Tiling<512, 96, 8, 64, 96, 16, 12, 8, 1>>;

template <class Tiles>
void two_widths_launch(const float* A, const float* B, float* C, int M, int N, int K,
                       const Partition& partition, float* scratch, cudaStream_t stream) {
  const TwoWidths shares = make_two_widths<Tiles>(M, N, K, partition.sharers);
  sgemm_two_widths_launch<Tiles>(A, B, C, M, N, K, shares, scratch, stream);
}
template <class Tiles>
double worth_in_wide_tiles(int M, int N, int K, int blocks) {
  const TwoWidths shares = make_two_widths<Tiles>(M, N, K, blocks);
  return shares.shared + TwoWidths::kNarrow * shares.narrow;
}

// The tiles of sgemm_two_widths.
template <class Tiles>
constexpr TunedTiles panel_tiles(const char* name, const TileCosts& costs) {
  TunedTiles tiles = aligned_tiles<Tiles>(name, costs, two_widths_launch<Tiles>);
  tiles.in_panels = true;
  tiles.wide_tiles = worth_in_wide_tiles<Tiles>;
  return tiles;
}

// Fitted to the times of 658 products of random shapes on an NVIDIA H200 (2026-11-27). FlatTiles'
// alone_us is set by hand: the fit's 8.1 gave 33 x 5000 x 5000 tiles that are slower. Those of the
// last two are from --tune (2026-11-29), except share_us and alone_us, which are what six other
// products took beyond the rest; ShallowTiles' are from the times of eight large products of that
// day, and GroupTiles' from --tune, except bytes_per_ns, which is that of WideTiles. To begin with
// another GPU, `12_sgemm_warptile_zorder --tune` measures costs, and prints lines like these.
inline constexpr TunedTiles kTunedTiles[] = {
    tuned_tiles<SmallTiles>("SmallTiles", {6.1, 47.1, 41.6, 0.8, 12.7, 8.5, 0.4, 3700}),
    tuned_tiles<TallTiles, 1>("TallTiles", {6.2, 49.1, 42.7, 1.1, 15.2, 9.6, 0.0, 2000}),
    tuned_tiles<FlatTiles>("FlatTiles", {5.4, 48.5, 41.0, 0.7, 12.4, 10.0, 2.1, 2700}),
    tuned_tiles<LargeTiles>("LargeTiles", {10.3, 166.0, 160.7, 4.8, 16.7, 11.3, 1.2, 2500}),
    aligned_tiles<ShallowTiles>("ShallowTiles", {9.8, 154.4, 154.5, 5.2, 15.6, 20.0, 0.0, 2500}),
    group_tiles<GroupTiles>("GroupTiles", {6.3, 41.3, 39.9, 3.6, 0.0, 0.0, 0.0, 2900}),
    tuned_tiles<CrowdedTiles, 1>("CrowdedTiles", {5.9, 47.9, 42.4, 1.0, 21.0, 11.8, 0.0, 2100}),
    tuned_tiles<SquareTiles, 1>("SquareTiles", {6.2, 28.3, 24.2, 0.4, 15.6, 7.1, 0.0, 1700}),
    tuned_tiles<NarrowTiles, 1>("NarrowTiles", {5.2, 33.3, 26.0, 0.6, 14.2, 6.9, 0.0, 2100}),
    tuned_tiles<LowTiles, 4, false>("LowTiles", {4.3, 27.7, 22.5, 0.5, 13.7, 7.1, 0.8, 2300}),
    guarded_tiles("GuardedTiles", {4.1, 122.1, 105.7, 1.9, 0.0, 0.0, 2.6, 2000}),
    panel_tiles<WideTiles>("WideTiles", {15.3, 227.1, 226.5, 10.0, 20.0, 25.0, 0.0, 2900}),
    panel_tiles<WideTallTiles>("WideTallTiles", {19.6, 224.9, 225.9, 8.8, 14.0, 19.0, 0.0, 2800}),
};
// Copying A to panels; timed on an H200.
inline constexpr double kPanelsUs = 3.5, kPanelsPsPerFloat = 2.0;
// Copying a matrix to one with zeros around it.
inline constexpr double kResizeUs = 3.7, kResizePsPerFloat = 3.5;
