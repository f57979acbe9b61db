// The tiles that sgemm_tuned has for thin products: those with few rows, few columns, a short K, or
// a K that is long for the size of C.
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

#include "19_sgemm_sliced.cuh"
#include "20_sgemm_few_columns.cuh"
#include "21_sgemm_short_k.cuh"

// A kernel for thin products, and what its tiles cost.
struct ThinTiles {
  const char* name;
  int BM, BN, blocks_per_sm;
  // Per step along K: of one block, which waits for its copies, and of as many as an SM holds.
  double alone_ns, full_ns;
  void (*launch)(const float* A, const float* B, float* C, int M, int N, int K, const Parts& parts,
                 cudaStream_t stream);
  int least_M = 1, most_M = INT_MAX, most_N = INT_MAX;  // of the products that they are for

  bool take(int M, int N) const { return least_M <= M && M <= most_M && N <= most_N; }
  std::size_t tiles(int M, int N) const {
    return std::size_t((M - 1) / BM + 1) * ((N - 1) / BN + 1);
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
  if (parts.count > 1) add_parts(parts, C, std::size_t(M) * N, stream);
}

template <class Tile>
constexpr ThinTiles sliced_tiles(const char* name, double alone_ns, double full_ns) {
  return {name, Tile::BM, Tile::BN, Tile::kBlocksPerSm, alone_ns, full_ns, sliced_launch<Tile>};
}

// Tiles of BN columns for sgemm_few_columns, one row per warp, for products that are at most `most`
// tiles wide.
template <int BN>
constexpr ThinTiles few_rows_tiles(const char* name, double alone_ns, double full_ns,
                                   int most = 1) {
  constexpr int BM = kFewColumnsBlock / kWarpSize;
  return {.name = name,
          .BM = BM,
          .BN = BN,
          .blocks_per_sm = 4,
          .alone_ns = alone_ns,
          .full_ns = full_ns,
          .launch = few_columns_launch<>,
          .most_M = BM,
          .most_N = most * BN};
}

// The same with four rows per warp.
template <int BN>
constexpr ThinTiles column_tiles(const char* name, double alone_ns, double full_ns) {
  ThinTiles tiles = few_rows_tiles<BN>(name, alone_ns, full_ns);
  tiles.least_M = tiles.most_M + 1;
  tiles.most_M = INT_MAX;
  tiles.BM = few_columns_rows(tiles.least_M);
  return tiles;
}

// 16x128, 128x16 and "2 columns" were timed on an NVIDIA H200 (2026-11-25); the costs of the others
// are estimates from those, by FMAs and bytes.
inline constexpr ThinTiles kThinTiles[] = {
    sliced_tiles<Tiling<16, 128, 16, 16, 32, 4, 4, 4, 5>>("16x128", 30, 119),
    sliced_tiles<Tiling<128, 16, 16, 32, 16, 4, 4, 4, 5>>("128x16", 33, 161),
    sliced_tiles<Tiling<32, 128, 16, 32, 32, 8, 4, 4, 2>>("32x128", 33, 60),
    sliced_tiles<Tiling<128, 32, 16, 32, 32, 8, 4, 4, 3>>("128x32", 36, 105),
    sliced_tiles<Tiling<64, 64, 16, 32, 32, 8, 4, 4, 3>>("64x64", 34, 85),
    few_rows_tiles<2>("2 columns, few rows", 2, 5),
    few_rows_tiles<8>("8 columns, few rows", 4, 9),
    few_rows_tiles<16>("16 columns, few rows", 6, 15, 2),
    column_tiles<2>("2 columns", 4.3, 16),
    column_tiles<8>("8 columns", 9, 26),
};

// sgemm_short_k has no parts.
inline void short_k_thin_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts&,
    cudaStream_t stream) {
  short_k_launch(A, B, C, M, N, K, stream);
}
inline constexpr ThinTiles kShortK = {"short K", 32, 256, 8, 30, 60, short_k_thin_launch};
