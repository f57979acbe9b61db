// Matrix product, C = A * B, row-major: tile rasterization. Blocks that run together have tiles
// near each other, and find rows of A and columns of B in the L2 cache.
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
#include "tile_place.cuh"

// Multiplies (BM, depth) of A, from its column `first` on, by (depth, BN) of B, to a tile of C.
// `one` is 1, but the compiler must not know: see epilogue.cuh.
template <class Tile, int kPack>
__device__ void sgemm_rasterized_multiply_tile(  //
    const float* A, const float* B, float* C, int M, int N, int K, int tile, int first, int depth,
    float one) {
  constexpr int BK = Tile::BK;
  constexpr int TM = Tile::TM, TN = Tile::TN;
  extern __shared__ float4 storage[];
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage);  // kStages of them
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31

  const auto [tile_row, tile_col, own_row, own_col] = tile_place<Tile>(tile, M, N);
  A += tile_row * lda + first;     // (BM, depth)
  B += first * ldb + tile_col;     // (depth, BN)
  C += tile_row * ldc + tile_col;  // (BM, BN)
  const auto [row, col] = zorder_place<Tile>();

  float sum[TM][TN] = {};
  const int slices = depth / BK;
  Copies<Tile, kPack> copies(stages, A, lda, B, ldb, slices);
  if (slices > 0) {
    main_loop<Tile, copies.kParts, multiply_turning<TM, TN>>(stages, row, col, copies, slices, sum);
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // all stages are free
  if (const int done = slices * BK; done < depth) {
    remainder<Tile>(stages[0], A + done, lda, B + done * ldb, ldb, depth - done, row, col, sum);
  }

  epilogue<Tile>(sum, one, C, ldc, own_row - tile_row, own_col - tile_col, row, col);
}

template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_rasterized_kernel(const float* A, const float* B, float* C, int M, int N, int K,
                            float one) {
  sgemm_rasterized_multiply_tile<Tile, kPack>(A, B, C, M, N, K, blockIdx.x, 0, K, one);
}

// C has at least one tile; kPack is 4 where all rows of B are aligned.
template <class Tile, int kPack>
void sgemm_rasterized_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  const auto kernel = sgemm_rasterized_kernel<Tile, kPack>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  kernel<<<tiles_m * tiles_n, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, 1.0f);
}

inline void sgemm_rasterized(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  if (M <= 0 || N <= 0) return;
  if (M < Tile::BM || N < Tile::BN) return sgemm_small(A, B, C, M, N, K, stream);
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto launch = aligned ? sgemm_rasterized_launch<Tile, 4> : sgemm_rasterized_launch<Tile, 1>;
  launch(A, B, C, M, N, K, stream);
}
