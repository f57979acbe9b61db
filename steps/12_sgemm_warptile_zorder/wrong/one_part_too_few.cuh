// sgemm_spread that forgets the last part of each slice's copies.
//
// They are spread over the steps of k, and one step too few has its part. The columns of B that it
// should bring are never written to the stage.
//
// Rejected by: initcheck (uninitialized) with --m 128 --n 256 --k 40
#pragma once

#include "../9_sgemm_spread.cuh"

namespace one_part_too_few {

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_spread_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  constexpr int TM = Tile::TM, TN = Tile::TN;
  extern __shared__ float4 storage[];
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage);  // kStages of them
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31

  // The tile of this block. One that would overlap C's edge is moved inside.
  const int tiles_n = (N - 1) / BN + 1;
  const int own_row = blockIdx.x / tiles_n * BM;  // the rows above belong to another tile
  const int own_col = blockIdx.x % tiles_n * BN;  // and the columns to the left
  const int tile_row = min(own_row, M - BM);
  const int tile_col = min(own_col, N - BN);
  A += tile_row * lda;             // (BM, K)
  B += tile_col;                   // (K, BN)
  C += tile_row * ldc + tile_col;  // (BM, BN)

  // This thread's tile is split into 4x4 parts, kStepM and kStepN apart, the first at (row, col).
  constexpr int kStepM = Tile::kStepM, kStepN = Tile::kStepN;
  const auto [row, col] = zorder_place<Tile>();

  float sum[TM][TN] = {};
  // Starts to copy the next slice; past the last one, where A and B stay, that one again.
  const int slices = K / BK;
  int to_copy = slices;
  constexpr int kAtOnce = 3, kParts = BK * (BM + BN / kPack) / (Tile::kBlockSize * kAtOnce);
  const auto copy_next = [&](int stage, int part) {
    if (part < kParts - 1) {
      copy_part<Tile, kPack, kAtOnce>(stages[stage], A, lda, B, ldb, part);
    }
    if (part < kParts - 1) return;
    __pipeline_commit();
    --to_copy;
    A += to_copy > 0 ? BK : 0;
    B += to_copy > 0 ? BK * ldb : 0;
  };
  if (slices > 0) {
    main_loop<Tile, kParts, multiply<TM, TN>>(stages, row, col, copy_next, slices, sum);
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // all stages are free
  if (const int done = slices > 0 ? BK : 0; slices * BK < K) {
    remainder<Tile>(stages[0], A + done, lda, B + done * ldb, ldb, K % BK, row, col, sum);
  }

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

inline void sgemm_spread(  //
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
  const auto kernel = aligned ? sgemm_spread_kernel<Tile, 4> : sgemm_spread_kernel<Tile, 1>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  kernel<<<tiles_m * tiles_n, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K);
}

}  // namespace one_part_too_few
