// sgemm_inside that does not move the tiles at the edge.
//
// Its copies don't test for rows and columns, for which a tile has to lie inside the matrix. These
// read past the ends of A and B, and what they store lies past the end of C.
//
// May also show: racecheck (race)
// Rejected by: memcheck (out_of_bounds) with --m 129 --n 257 --k 40
#pragma once

#include "../7_sgemm_inside.cuh"

namespace left_outside {

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_inside_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  constexpr int TM = Tile::TM, TN = Tile::TN, kStages = Tile::kStages;
  extern __shared__ float4 storage[];
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage);  // kStages of them
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31

  // The tile of this block. One that would overlap C's edge is moved inside.
  const int tiles_n = (N - 1) / BN + 1;
  const int own_row = blockIdx.x / tiles_n * BM;  // the rows above belong to another tile
  const int own_col = blockIdx.x % tiles_n * BN;  // and the columns to the left
  const int tile_row = own_row < M ? own_row : 0;
  const int tile_col = own_col;
  A += tile_row * lda;             // (BM, K)
  B += tile_col;                   // (K, BN)
  C += tile_row * ldc + tile_col;  // (BM, BN)

  // This thread's tile is split into 4x4 parts, kStepM and kStepN apart, the first at (row, col).
  constexpr int kStepM = Tile::kStepM, kStepN = Tile::kStepN;
  const auto [row, col] = zorder_place<Tile>();

  float sum[TM][TN] = {};
  // Starts to copy the next slice, zeros past the end of K.
  int depth = K;
  const auto copy_next = [&](int stage) {
    copy_slice<Tile, kPack>(stages[stage], A, lda, kWhole, B, ldb, kWhole, depth);
    __pipeline_commit();
    A += BK;
    B += BK * ldb;
    depth -= BK;
  };
  for (int stage = 0; stage < kStages - 1; ++stage) copy_next(stage);
  main_loop<Tile>(stages, row, col, copy_next, (K + BK - 1) / BK, sum);

  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; n += 4) {
      const int r = row + m / 4 * kStepM + m % 4, c = col + n / 4 * kStepN;
      if (own_row == tile_row && own_col == tile_col) {
        store4(C + r * ldc + c, &sum[m][n], 4);
      } else if (tile_row + r >= own_row) {
        for (int i = 0; i < 4; ++i) {
          if (tile_col + c + i >= own_col) C[r * ldc + c + i] = sum[m][n + i];
        }
      }
    }
  }
}

inline void sgemm_inside(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  if (M < BM || N < BN) return sgemm_small(A, B, C, M, N, K, stream);
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  // Four floats of B are copied at once if all its rows are aligned.
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto kernel = aligned ? sgemm_inside_kernel<Tile, 4> : sgemm_inside_kernel<Tile, 1>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  kernel<<<tiles_m * tiles_n, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K);
}

}  // namespace left_outside
