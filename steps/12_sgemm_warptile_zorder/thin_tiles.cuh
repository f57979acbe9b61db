// Tiles for thin products, of which sgemm_tuned chooses one.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstddef>

#include "19_sgemm_sliced.cuh"
#include "20_sgemm_few_columns.cuh"

// The costs of a kernel's blocks. A turn is as many blocks on every SM as it holds.
struct ThinCosts {
  double turn_us;            // beside the steps along K
  double alone_ns, full_ns;  // per step: of one block, which waits for its copies, and of a turn
  double bytes_per_ns;       // that it loads and stores at most
};

// A kernel for thin products, and what its tiles cost.
struct ThinTiles {
  const char* name;
  int BM, BN, blocks_per_sm;
  ThinCosts costs;
  void (*launch)(const float* A, const float* B, float* C, int M, int N, int K, const Parts& parts,
                 cudaStream_t stream);
  int least_M = 1, most_M = INT_MAX, least_N = 1, most_N = INT_MAX;  // of its products
  int shortest_part = 64;    // along K, of a tile that blocks share; 0: they do not
  int part_turns = 1;        // of blocks that share tiles, which they always do if it is more
  bool across_rows = false;  // a tile is BN elements of C, whatever their rows
  int least_steps = 1;       // fewer take as long
  int slice_floats = 0;      // of A, if threads share the steps of few columns; else 0
  int threads = 0;           // of a block, for a short K; else 0

  bool take(int M, int N) const {
    return least_M <= M && M <= most_M && least_N <= N && N <= most_N;
  }
  std::size_t tiles(int M, int N) const {
    if (across_rows) return (std::size_t(M) * N - 1) / BN + 1;
    return std::size_t((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  }
  // The turns that `blocks` per SM take. The next block can begin before all of a turn have ended,
  // and, if threads do not wait for others of their block, before all of a block have.
  double turns(double blocks) const {
    return std::max((across_rows ? blocks : std::ceil(blocks)) / blocks_per_sm, 1.0);
  }
  int steps(int M, int N, int depth) const {
    if (slice_floats == 0 || N >= BN) return std::max(depth, least_steps);
    constexpr int kStepsOfWait = 16;  // that would take as long as the wait for a slice
    const auto rows = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::min(M, BM))));
    const int slices = depth / (slice_floats / rows) + 1;
    return depth / (BN / N) + kStepsOfWait * slices;
  }
};

// sgemm_sliced with memory from the caller.
template <class Tile>
void sliced_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts& parts,
    cudaStream_t stream) {
  const unsigned tiles = ((M - 1) / Tile::BM + 1) * ((N - 1) / Tile::BN + 1);
  float* const result = parts.count > 1 ? parts.C : C;
  sgemm_sliced_kernel<Tile, 1><<<dim3(tiles, parts.count), Tile::kBlockSize, 0, stream>>>(
      A, B, result, M, N, K, parts.depth);
}

template <class Tile>
constexpr ThinTiles sliced_tiles(const char* name, const ThinCosts& costs) {
  return {.name = name,
          .BM = Tile::BM,
          .BN = Tile::BN,
          .blocks_per_sm = Tile::kBlocksPerSm,
          .costs = costs,
          .launch = sliced_launch<Tile>,
          .least_steps = Tile::BK};
}

// Tiles of BN columns for sgemm_few_columns, one row per warp, for products that are at most `most`
// tiles wide, but wider than tiles of kNarrower columns.
template <int BN, int kNarrower = 0>
constexpr ThinTiles narrow_tiles(const char* name, const ThinCosts& costs, int most = 1,
                                 int blocks_per_sm = 4) {
  constexpr int BM = kFewColumnsBlock / kWarpSize;
  return {.name = name,
          .BM = BM,
          .BN = BN,
          .blocks_per_sm = blocks_per_sm,
          .costs = costs,
          .launch = few_columns_launch<>,
          .most_M = BM,
          .least_N = kNarrower + 1,
          .most_N = most * BN};
}

// The same with four rows per warp.
template <int BN, int kNarrower = 0>
constexpr ThinTiles column_tiles(const char* name, const ThinCosts& costs) {
  ThinTiles tiles = narrow_tiles<BN, kNarrower>(name, costs);
  tiles.least_M = tiles.most_M + 1;
  tiles.most_M = INT_MAX;
  tiles.BM = few_columns_rows(tiles.least_M);
  return tiles;
}
