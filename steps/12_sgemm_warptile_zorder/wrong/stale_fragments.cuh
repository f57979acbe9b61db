// sgemm_fragments that multiplies the fragments it has just read.
//
// Read ahead, but with one set: those of the next k take the place of those of this one before they
// are multiplied. The first step of k is left out, and one past the end comes in.
//
// Rejected by: result with --m 70 --n 131 --k 40
#pragma once

#include "../6_sgemm_fragments.cuh"

namespace stale_fragments {

// Multiplies all slices of the tile. `copy_next` starts to copy one to a stage.
template <class Tile, class Copy>
__device__ void sgemm_fragments_main_loop(  //
    const typename Tile::Stage* stages, int row, int col, Copy copy_next, int slices,
    float (&sum)[Tile::TM][Tile::TN]) {
  constexpr int BK = Tile::BK, kStages = Tile::kStages;
  float a[2][Tile::TM], b[2][Tile::TN];  // for two steps of k
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();
  load_fragments<Tile>(a[0], b[0], stages[0], 0, row, col);
  int stage = 0;
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    copy_next((stage + kStages - 1) % kStages);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const int next = (k + 1) % BK;
      if (next == 0) {
        stage = (stage + 1) % kStages;
        __pipeline_wait_prior(kStages - 2);  // this thread's copies into the stage have arrived,
        __syncthreads();                     // so have all others', and the stage before is free
      }
      load_fragments<Tile>(a[k % 2], b[k % 2], stages[stage], next, row, col);
      multiply(a[k % 2], b[k % 2], sum);
    }
  }
}

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_fragments_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  constexpr int TM = Tile::TM, TN = Tile::TN, kStages = Tile::kStages;
  extern __shared__ float4 storage[];
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage);  // kStages of them
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31

  // The tile of this block, and how much of it lies inside the matrix.
  const int tiles_n = (N - 1) / BN + 1;
  const int tile_row = blockIdx.x / tiles_n * BM;
  const int tile_col = blockIdx.x % tiles_n * BN;
  const int rows = min(BM, M - tile_row);
  const int cols = min(BN, N - tile_col);
  A += tile_row * lda;             // (rows, K)
  B += tile_col;                   // (K, cols)
  C += tile_row * ldc + tile_col;  // (rows, cols)

  // This thread's tile is split into 4x4 parts, kStepM and kStepN apart, the first at (row, col).
  constexpr int kStepM = Tile::kStepM, kStepN = Tile::kStepN;
  const auto [row, col] = zorder_place<Tile>();

  float sum[TM][TN] = {};
  // Starts to copy the next slice, zeros past the end of K.
  int depth = K;
  const auto copy_next = [&](int stage) {
    copy_slice<Tile, kPack>(stages[stage], A, lda, rows, B, ldb, cols, depth);
    __pipeline_commit();
    A += BK;
    B += BK * ldb;
    depth -= BK;
  };
  for (int stage = 0; stage < kStages - 1; ++stage) copy_next(stage);
  stale_fragments::sgemm_fragments_main_loop<Tile>(stages, row, col, copy_next, (K + BK - 1) / BK,
                                                   sum);

  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; n += 4) {
      const int r = row + m / 4 * kStepM + m % 4, c = col + n / 4 * kStepN;
      store4(C + r * ldc + c, &sum[m][n], r < rows ? cols - c : 0);
    }
  }
}

inline void sgemm_fragments(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  // Four floats of B are copied at once if all its rows are aligned.
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto kernel = aligned ? sgemm_fragments_kernel<Tile, 4> : sgemm_fragments_kernel<Tile, 1>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  kernel<<<tiles_m * tiles_n, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K);
}

}  // namespace stale_fragments
