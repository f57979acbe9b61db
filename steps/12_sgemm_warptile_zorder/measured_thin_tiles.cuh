// The tiles that sgemm_tuned has for thin products: those with few rows, few columns, a short K, or
// a K that is long for the size of C.
#pragma once

#include <cuda_runtime.h>

#include "21_sgemm_short_k.cuh"
#include "25_sgemm_short_k_lines.cuh"
#include "small.cuh"
#include "thin_tiles.cuh"

// sgemm_small, where a launch takes longer than anything else.
inline void small_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts&,
    cudaStream_t stream) {
  sgemm_small(A, B, C, M, N, K, stream);
}
constexpr ThinTiles element_tiles(const char* name, const ThinCosts& costs) {
  return {.name = name,
          .BM = 1,
          .BN = 256,
          .blocks_per_sm = 8,
          .costs = costs,
          .launch = small_launch,
          .shortest_part = 0,
          .across_rows = true};
}

// Fitted to the times of 520 products of random shapes on an NVIDIA H200 (2026-11-26), most of
// which are within 20 % of what thin_us and short_k_us make of these.
inline constexpr ThinTiles kThinTiles[] = {
    sliced_tiles<Tiling<16, 128, 16, 16, 32, 4, 4, 4, 5>>("16x128", {1.9, 29, 125, 4500}),
    sliced_tiles<Tiling<128, 16, 16, 32, 16, 4, 4, 4, 5>>("128x16", {1.1, 34, 125, 3700}),
    sliced_tiles<Tiling<32, 128, 16, 32, 32, 8, 4, 4, 2>>("32x128", {1.8, 10, 74, 4600}),
    sliced_tiles<Tiling<128, 32, 16, 32, 32, 8, 4, 4, 3>>("128x32", {1.4, 35, 100, 1900}),
    sliced_tiles<Tiling<64, 64, 16, 32, 32, 8, 4, 4, 3>>("64x64", {1.5, 33, 93, 2200}),
    sliced_tiles<Tiling<32, 64, 16, 16, 32, 4, 4, 4, 4>>("32x64", {1.0, 2.4, 79, 2700}),
    sliced_tiles<Tiling<64, 32, 16, 32, 16, 4, 4, 4, 4>>("64x32", {1.1, 9.4, 80, 2500}),
    narrow_tiles<2>("2 columns, few rows", {0.1, 2.0, 2.3, 2100}, 1, 2),
    narrow_tiles<8, 2>("8 columns, few rows", {0.1, 2.3, 9.6, 1800}),
    narrow_tiles<16, 8>("16 columns, few rows", {2.6, 1.4, 14, 300}, 2),
    column_tiles<2>("2 columns", {1.0, 3.0, 7.6, 4400}),
    column_tiles<8, 2>("8 columns", {1.8, 3.4, 5.1, 4600}),
    row_tiles("few rows", {1.0, 56, 86, 4100}),
    element_tiles("elements", {0.8, 58, 99, 3300}),
};

// Products with a short K have no parts, and blocks of as many rows as suit.
template <auto kKernel>
void short_k_thin_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts&,
    cudaStream_t stream) {
  kKernel(A, B, C, M, N, K, stream);
}
template <auto kKernel>
constexpr ThinTiles short_k_tiles(const char* name, int BN, const ThinCosts& costs) {
  return {.name = name,
          .BM = 16,
          .BN = BN,
          .blocks_per_sm = 8,
          .costs = costs,
          .launch = short_k_thin_launch<kKernel>};
}
inline constexpr ThinTiles kShortK[] = {
    short_k_tiles<sgemm_short_k>("short K", kShortKBlock, {1.0, 9.1, 22, 3600}),
    short_k_tiles<sgemm_short_k>("short K, two columns", 2 * kShortKBlock, {0.9, 2.2, 23, 3900}),
    short_k_tiles<sgemm_short_k_lines>("short K, lines", 2 * kShortKBlock, {0.3, 28, 1.9, 3500}),
};

// Those for a product: through shared memory where stores take longer than products do.
inline const ThinTiles& short_k_tiles_for(int M, int N, int K) {
  if (N <= kShortKBlock) return kShortK[0];
  const bool lines = M >= kShortKBlock / kWarpSize && N >= 2 * kShortKBlock && K <= 16;
  return kShortK[lines ? 2 : 1];
}
