// The tiles that sgemm_tuned has for thin products: those with few rows, few columns, a short K, or
// a K that is long for the size of C.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "21_sgemm_short_k.cuh"
#include "22_sgemm_few_rows.cuh"
#include "25_sgemm_short_k_lines.cuh"
#include "few_steps.cuh"
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

// Fitted to the times of 865 products of random shapes on an NVIDIA H200 (2026-11-27): what thin_us
// and short_k_us make of these is within 20 % of most times that are close to the shortest. Those
// of "two rows" are set by hand, from a dozen products.
inline constexpr ThinTiles kThinTiles[] = {
    sliced_tiles<Tiling<16, 128, 16, 16, 32, 4, 4, 4, 5>>("16x128", {1, 11, 141, 4400}),
    sliced_tiles<Tiling<128, 16, 16, 32, 16, 4, 4, 4, 5>>("128x16", {0.86, 4.6, 148, 2900}),
    sliced_tiles<Tiling<64, 64, 16, 32, 32, 8, 4, 4, 3>>("64x64", {1.6, 33, 89, 2400}),
    sliced_tiles<Tiling<32, 64, 16, 16, 32, 4, 4, 4, 4>>("32x64", {0.73, 1.7, 82, 1700}),
    sliced_tiles<Tiling<64, 32, 16, 32, 16, 4, 4, 4, 4>>("64x32", {0.98, 7.4, 81, 2000}),
    narrow_tiles<2>("2 columns, few rows", {0.5, 1.5, 0.87, 3200}, 1, 2),
    narrow_tiles<8, 2>("8 columns, few rows", {0.96, 0.64, 6.2, 3500}),
    narrow_tiles<16, 8>("16 columns, few rows", {1.8, 8.4, 3, 1000}, 2),
    column_tiles<2>("2 columns", {1.2, 3.6, 10, 4600}),
    column_tiles<8, 2>("8 columns", {2.6, 3, 11, 4400}),
    row_tiles("few rows", {2.1, 27, 85, 3600}),
    two_row_tiles("two rows", {0.2, 27, 80, 4000}),
    element_tiles("elements", {0.6, 85, 134, 3300}),
};

// Products with a short K have no parts, and blocks of as many rows as suit.
template <auto kLaunch>
void short_k_thin_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts&,
    cudaStream_t stream) {
  kLaunch(A, B, C, M, N, K, stream);
}
// blocks_per_sm: about as many as the registers of an SM are enough for.
template <auto kLaunch>
constexpr ThinTiles short_k_tiles(const char* name, int threads, int columns, int blocks_per_sm,
                                  const ThinCosts& costs) {
  return {.name = name,
          .BM = 16,
          .BN = columns * threads,
          .blocks_per_sm = blocks_per_sm,
          .costs = costs,
          .launch = short_k_thin_launch<kLaunch>,
          .threads = threads};
}
// In an order in which the candidates for any product are neighbors.
inline constexpr ThinTiles kShortK[] = {
    short_k_tiles<sgemm_short_k_lines_launch<2, kShortKBlock, 4, kLongestShortK>>(
        "short K, lines", kShortKBlock, 2, 8, {0.32, 28, 1.8, 3700}),
    short_k_tiles<sgemm_short_k_launch<2, kShortKBlock, 4, kLongestShortK>>(
        "short K, two columns", kShortKBlock, 2, 8, {0.95, 4.7, 37, 4100}),
    short_k_tiles<sgemm_short_k_launch<1, kShortKBlock, 4, kLongestOneColumn>>(
        "short K", kShortKBlock, 1, 8, {1.2, 5.6, 23, 2400}),
    short_k_tiles<sgemm_short_k_launch<2, kMediumKBlock, kLongestShortK + 4, kLongestMediumK>>(
        "medium K", kMediumKBlock, 2, 3, {0.76, 5.4, 1, 3500}),
};

// The candidates for a product. Stores take longer than products do up to kLongestShortK: they go
// through shared memory, if rows are long enough.
inline std::span<const ThinTiles> short_k_tiles_for(int M, int N, int K) {
  constexpr std::span<const ThinTiles> kAll = kShortK;
  if (K < 1 || K > kLongestMediumK || N < 2) return {};
  if (N <= kShortKBlock) {
    const bool one_column = has_one_column(N, K);
    const bool medium_k = K > kLongestShortK && N > kMediumKBlock;
    return kAll.subspan(one_column ? 2 : 3, one_column + medium_k);
  }
  if (K > kLongestShortK) return kAll.last(1);
  const bool lines = M >= kShortKBlock / kWarpSize && N >= 2 * kShortKBlock;
  return kAll.subspan(lines ? 0 : 1, 1);
}
