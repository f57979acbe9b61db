// The tiles that sgemm_tuned has for thin products: those with few rows, few columns, a short K, or
// a K that is long for the size of C.
#pragma once

#include <cuda_runtime.h>

#include "21_sgemm_short_k.cuh"
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
          .has_parts = false,
          .across_rows = true};
}

// Fitted to the times of 158 products of random shapes on an NVIDIA H200 (2026-11-26), most of
// which are within 20 % of what thin_us makes of these.
inline constexpr ThinTiles kThinTiles[] = {
    sliced_tiles<Tiling<16, 128, 16, 16, 32, 4, 4, 4, 5>>("16x128", {3.6, 27, 119, 2600}),
    sliced_tiles<Tiling<128, 16, 16, 32, 16, 4, 4, 4, 5>>("128x16", {3.0, 27, 118, 2000}),
    sliced_tiles<Tiling<32, 128, 16, 32, 32, 8, 4, 4, 2>>("32x128", {2.6, 36, 71, 2600}),
    sliced_tiles<Tiling<128, 32, 16, 32, 32, 8, 4, 4, 3>>("128x32", {2.4, 37, 97, 1600}),
    sliced_tiles<Tiling<64, 64, 16, 32, 32, 8, 4, 4, 3>>("64x64", {2.3, 35, 90, 1600}),
    sliced_tiles<Tiling<32, 64, 16, 16, 32, 4, 4, 4, 4>>("32x64", {2.0, 23, 73, 1500}),
    sliced_tiles<Tiling<64, 32, 16, 32, 16, 4, 4, 4, 4>>("64x32", {1.9, 22, 71, 1400}),
    narrow_tiles<2>("2 columns, few rows", {1.5, 2, 8, 2000}),
    narrow_tiles<8>("8 columns, few rows", {1.3, 2.3, 11, 1700}),
    narrow_tiles<16>("16 columns, few rows", {3.0, 4.2, 8, 1300}, 2),
    column_tiles<2>("2 columns", {2.7, 4.3, 13, 3700}),
    column_tiles<8>("8 columns", {3.7, 4.7, 13, 3500}),
    row_tiles("few rows", {4.0, 24, 65, 3500}),
    element_tiles("elements", {0.8, 104, 118, 2800}),
};

// sgemm_short_k has no parts.
inline void short_k_thin_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts&,
    cudaStream_t stream) {
  short_k_launch(A, B, C, M, N, K, stream);
}
inline constexpr ThinTiles kShortK = {.name = "short K",
                                      .BM = 16,
                                      .BN = kShortKBlock,
                                      .blocks_per_sm = 8,
                                      .costs = {1.3, 0, 0, 3000},
                                      .launch = short_k_thin_launch};
