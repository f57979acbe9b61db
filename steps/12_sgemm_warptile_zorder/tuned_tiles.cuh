// Tiles that sgemm_tuned can choose, and what they cost.
#pragma once

#include <cuda_runtime.h>

#include "4_sgemm_pipelined.cuh"
#include "tuned_launch.cuh"

// One block with a large tile has an SM to itself; three with small, tall or flat ones share it.
using LargeTiles = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
using SmallTiles = Tiling<64, 128, 16, 32, 64, 8, 8, 3, 3>;
using TallTiles = Tiling<128, 64, 16, 64, 32, 8, 8, 3, 3>;
using FlatTiles = Tiling<32, 256, 16, 32, 64, 8, 8, 3, 3>;
// Like LargeTiles, in slices half as deep: the main loop is half as long. For aligned rows only.
using ShallowTiles = Tiling<128, 256, 8, 128, 32, 16, 8, 4, 1>;
// Like SmallTiles, but two groups of four warps share a tile, which has an SM to itself.
using GroupTiles = Tiling<64, 128, 16, 32, 64, 8, 8, 3, 1>;
// Four or five blocks with one of these share an SM: while one of them waits for its first slices,
// or stores, the others multiply. That matters most if K is short.
using CrowdedTiles = Tiling<64, 128, 16, 64, 32, 8, 8, 3, 4>;
using SquareTiles = Tiling<64, 64, 16, 32, 32, 8, 4, 3, 4>;
using NarrowTiles = Tiling<128, 32, 16, 32, 32, 8, 4, 3, 5>;
using LowTiles = Tiling<32, 128, 16, 32, 32, 8, 4, 3, 4>;

// The costs of tiles, in microseconds and nanoseconds. A turn is one tile on every SM.
struct TileCosts {
  double start_us;      // launch overhead: before the first products and after the last
  double first_ns;      // per step along K in the first turn
  double next_ns;       // and in later ones,
  double turn_us;       // each of which has a start and an end of its own
  double share_us;      // for cutting tiles and adding up the parts, behind whole tiles
  double alone_us;      // and where all tiles are cut
  double unaligned_us;  // in each turn, if floats of C are stored one by one
  double bytes_per_ns;  // that it loads and stores at most
};

using TunedLaunch = void (*)(const float* A, const float* B, float* C, int M, int N, int K,
                             const Partition& partition, float* partials, cudaStream_t stream);

// Tiles that sgemm_tuned can choose.
struct TunedTiles {
  const char* name;
  int BM, BN, BK, blocks_per_sm;
  bool fits_all = false;      // without zeros around A and B where C is smaller
  bool aligned_only = false;  // only for aligned rows of B, and a C that is no smaller than a tile
  bool whole_slices = false;  // only for a K of whole slices
  bool shares = true;         // blocks may share tiles
  bool in_panels = false;     // A is copied to panels first
  // For tiles in panels, which have two widths: how many wide ones take as long as a product's.
  double (*wide_tiles)(int M, int N, int K, int blocks) = nullptr;
  int shared_bytes;  // per block
  // C = A * B where B is aligned, N % 4 == 0, C is no smaller than a tile, and K has whole slices;
  // where B is aligned and N % 4 == 0; and anywhere, except aligned_only ones. Shared tiles need
  // `partials`.
  TunedLaunch launch_whole, launch_aligned, launch_any = nullptr;
  TileCosts costs;
};

// kPack: the most floats that one copy of B can have with these tiles. kWholeTiles: whole tiles and
// slices have a kernel of their own.
template <class Tiles, int kPack = 4, bool kWholeTiles = kPack == 4>
constexpr TunedTiles tuned_tiles(const char* name, const TileCosts& costs) {
  return {.name = name,
          .BM = Tiles::BM,
          .BN = Tiles::BN,
          .BK = Tiles::BK,
          .blocks_per_sm = Tiles::kBlocksPerSm,
          .shared_bytes = Tiles::kStages * sizeof(typename Tiles::Stage),
          .launch_whole = tuned_launch<Tiles, kPack, kWholeTiles>,
          .launch_aligned = tuned_launch<Tiles, kPack, false>,
          .launch_any = tuned_launch<Tiles, 1, false>,
          .costs = costs};
}

// Tiles for aligned rows of B only; `launch` takes them with a K of any size.
template <class Tiles>
constexpr TunedTiles aligned_tiles(const char* name, const TileCosts& costs,
                                   TunedLaunch launch = tuned_launch<Tiles, 4, true>) {
  return {.name = name,
          .BM = Tiles::BM,
          .BN = Tiles::BN,
          .BK = Tiles::BK,
          .blocks_per_sm = Tiles::kBlocksPerSm,
          .aligned_only = true,
          .shared_bytes = Tiles::kStages * sizeof(typename Tiles::Stage),
          .launch_whole = launch,
          .launch_aligned = launch,
          .costs = costs};
}

// The tiles of sgemm_pipelined, which tests rows and columns.
inline void guarded_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Partition&, float*,
    cudaStream_t stream) {
  sgemm_pipelined(A, B, C, M, N, K, stream);
}
constexpr TunedTiles guarded_tiles(const char* name, const TileCosts& costs) {
  return {.name = name,
          .BM = 128,
          .BN = 128,
          .BK = 8,
          .blocks_per_sm = 2,
          .fits_all = true,
          .shares = false,
          .shared_bytes = 0,  // static
          .launch_whole = guarded_launch,
          .launch_aligned = guarded_launch,
          .launch_any = guarded_launch,
          .costs = costs};
}
