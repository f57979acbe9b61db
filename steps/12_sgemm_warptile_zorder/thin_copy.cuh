// Asynchronous copies of a slice of A and one of B, which may stick out of the matrices.
#pragma once

#include <cuda_pipeline.h>

#include <cstddef>

// Starts to copy a slice of A, (rows, depth), and one of B, (depth, cols), and zeros for the rest.
template <class Tile, int kPack>
__device__ void sgemm_thin_copy_slice(  //
    typename Tile::Stage& stage, const float* A, std::size_t lda, int rows, const float* B,
    std::size_t ldb, int cols, int depth) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  // Eight lanes copy one sector of a row of A; more lanes per row would collide in the banks.
  for (int start = 0; start < BM * BK; start += kBlockSize) {
    const int r = start % (BM * 8) / 8 + threadIdx.x / 8;
    const int c = start / (BM * 8) * 8 + threadIdx.x % 8;
    const int zeros = r < rows && c < depth ? 0 : sizeof(float);
    __pipeline_memcpy_async(&stage.A[c][r], A + r * lda + c, sizeof(float), zeros);
  }
  constexpr int kLanesB = kBlockSize / BK;  // that copy a row of B
  for (int start = 0; start < BN; start += kLanesB * kPack) {
    const int r = threadIdx.x / kLanesB;
    const int c = start + threadIdx.x % kLanesB * kPack;
    const int zeros = r < depth && c < cols ? 0 : kPack * sizeof(float);
    __pipeline_memcpy_async(&stage.B[r][c], B + r * ldb + c, kPack * sizeof(float), zeros);
  }
}
