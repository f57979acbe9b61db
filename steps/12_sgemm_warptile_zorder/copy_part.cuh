// Load of a slice, with asynchronous copies.
#pragma once

#include <cuda_pipeline.h>

#include <cstddef>

// Starts the `part`-th kAtOnce copies of a slice of A, (BM, BK), and one of B, (BK, BN).
template <class Tile, int kPack, int kAtOnce>
__device__ void copy_part(  //
    typename Tile::Stage& stage, const float* A, std::size_t lda, const float* B, std::size_t ldb,
    int part) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  int copy = 0;
  // Eight lanes copy one sector of a row of A; more lanes per row would collide in the banks.
#pragma unroll
  for (int start = 0; start < BM * BK; start += kBlockSize) {
    const int r = start % (BM * 8) / 8 + threadIdx.x / 8;
    const int c = start / (BM * 8) * 8 + threadIdx.x % 8;
    if (copy++ / kAtOnce != part) continue;
    __pipeline_memcpy_async(&stage.A[c][r], A + r * lda + c, sizeof(float));
  }
  constexpr int kLanesB = kBlockSize / BK;  // that copy a row of B
#pragma unroll
  for (int start = 0; start < BN; start += kLanesB * kPack) {
    const int r = threadIdx.x / kLanesB;
    const int c = start + threadIdx.x % kLanesB * kPack;
    if (copy++ / kAtOnce != part) continue;
    __pipeline_memcpy_async(&stage.B[r][c], B + r * ldb + c, kPack * sizeof(float));
  }
}
