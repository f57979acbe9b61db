// Load of a slice, with asynchronous copies.
#pragma once

#include <cuda_pipeline.h>

#include <cstddef>

// Starts the `part`-th kAtOnce copies of a slice of A, (BM, to_copy), and of B, (to_copy, BN).
template <class Tile, int kPack, int kAtOnce>
__device__ void copy_part(  //
    typename Tile::Stage& stage, const float* const* A, const float* B, int part, int to_copy) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  int copy = 0;
  // Eight lanes copy one sector of a row of A; more lanes per row would collide in the banks.
#pragma unroll
  for (int start = 0; start < BM * BK; start += kBlockSize) {
    const int r = start % (BM * 8) / 8 + threadIdx.x / 8;
    const int c = start / (BM * 8) * 8 + threadIdx.x % 8;
    if (copy++ / kAtOnce != part) continue;
    const float* const from = A[start % (BM * 8) / kBlockSize] + start / (BM * 8) * 8;
    if (c < to_copy) __pipeline_memcpy_async(&stage.A[c][r], from, sizeof(float));
  }
  constexpr int kLanesB = kBlockSize / BK;  // that copy a row of B
#pragma unroll
  for (int start = 0; start < BN; start += kLanesB * kPack) {
    const int r = threadIdx.x / kLanesB;
    const int c = start + threadIdx.x % kLanesB * kPack;
    if (copy++ / kAtOnce != part) continue;
    if (r < to_copy) __pipeline_memcpy_async(&stage.B[r][c], B + start, kPack * sizeof(float));
  }
}

// Starts to copy the next slice. The last one may be shorter; past it, one step is read ahead.
template <class Tile, int kPack, int kAtOnce = 3>
struct CopiesToDepth {
  static constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static constexpr int kParts = BK * (BM + BN / kPack) / (kBlockSize * kAtOnce);
  static constexpr int kRowsA = BM * 8 / kBlockSize, kLanesB = kBlockSize / BK;
  typename Tile::Stage* stages;
  const float* A[kRowsA];
  const float* B;
  std::size_t ldb;
  int to_copy;

  __device__ CopiesToDepth(typename Tile::Stage* stages, const float* A_tile, std::size_t lda,
                           const float* B_tile, std::size_t ldb, int depth)
      : stages(stages), ldb(ldb), to_copy(depth) {
    const int a_row = threadIdx.x / 8, a_col = threadIdx.x % 8;
    for (int i = 0; i < kRowsA; ++i) A[i] = A_tile + (a_row + i * kBlockSize / 8) * lda + a_col;
    B = B_tile + threadIdx.x / kLanesB * ldb + threadIdx.x % kLanesB * kPack;
  }

  __device__ void operator()(int stage, int part) {
    copy_part<Tile, kPack, kAtOnce>(stages[stage], A, B, part, max(to_copy, 1));
    if (part < kParts - 1) return;
    __pipeline_commit();
    to_copy -= BK;
    for (const float*& row : A) row += to_copy > 0 ? BK : 0;
    B += to_copy > 0 ? BK * ldb : 0;
  }
};
