// Matrix product, C = A * B, row-major: a product by one frees ptxas to keep the sums in the
// register bank that their operands are not in.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "small.cuh"

#include "fragments.cuh"
#include "remainder.cuh"
#include "store4.cuh"
#include "tiling.cuh"
#include "turning.cuh"
#include "zorder.cuh"

#include "copies.cuh"
#include "spread_main_loop.cuh"

#include "epilogue.cuh"

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
// `one` is 1, but the compiler must not know: see epilogue.cuh.
template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_banks_kernel(const float* A, const float* B, float* C, int M, int N, int K, float one) {
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

  const auto [row, col] = zorder_place<Tile>();

  float sum[TM][TN] = {};
  const int slices = K / BK;
  Copies<Tile, kPack> copies(stages, A, lda, B, ldb, slices);
  if (slices > 0) {
    main_loop<Tile, copies.kParts, multiply_turning<TM, TN>>(stages, row, col, copies, slices, sum);
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // all stages are free
  if (const int done = slices * BK; done < K) {
    remainder<Tile>(stages[0], A + done, lda, B + done * ldb, ldb, K - done, row, col, sum);
  }

  epilogue<Tile>(sum, one, C, ldc, own_row - tile_row, own_col - tile_col, row, col);
}

// C has at least one tile; kPack is 4 where all rows of B are aligned.
template <class Tile, int kPack>
void sgemm_banks_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  const auto kernel = sgemm_banks_kernel<Tile, kPack>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  kernel<<<tiles_m * tiles_n, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, 1.0f);
}

inline void sgemm_banks(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  if (M <= 0 || N <= 0) return;
  if (M < Tile::BM || N < Tile::BN) return sgemm_small(A, B, C, M, N, K, stream);
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto launch = aligned ? sgemm_banks_launch<Tile, 4> : sgemm_banks_launch<Tile, 1>;
  launch(A, B, C, M, N, K, stream);
}
