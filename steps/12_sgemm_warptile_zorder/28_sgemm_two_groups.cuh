// Matrix product, C = A * B, row-major: sliced K, for a C so small that an SM gets a single tile.
// Two groups of four warps compute it, each for half of K.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
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

// Adds the second group's sums to those of the first, through shared memory.
template <class Tile>
__device__ void add_groups(float (&sum)[Tile::TM][Tile::TN], void* shared) {
  constexpr int TN = Tile::TN, kSums = Tile::TM * TN;  // of a thread
  auto* const second = static_cast<float(*)[Tile::kBlockSize]>(shared);
  __syncthreads();  // all stages are free
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    if (threadIdx.y == 1) second[i][threadIdx.x] = sum[i / TN][i % TN];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum[i / TN][i % TN] += second[i][threadIdx.x];
}

// Multiplies (BM, K) of A by (K, BN) of B to a tile of C. `one` is 1, but the compiler must not
// know: see epilogue.cuh.
template <class Tile, int kPack>
__device__ void sgemm_two_groups_multiply_tile(  //
    const float* A, const float* B, float* C, int M, int N, int K, int tile, float one) {
  constexpr int BK = Tile::BK, TM = Tile::TM, TN = Tile::TN;
  extern __shared__ float4 storage[];
  const int group = threadIdx.y;
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage) + group * Tile::kStages;
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31

  const auto [tile_row, tile_col, own_row, own_col] = tile_place<Tile>(tile, M, N);
  A += tile_row * lda;             // (BM, K)
  B += tile_col;                   // (K, BN)
  C += tile_row * ldc + tile_col;  // (BM, BN)
  const auto [row, col] = zorder_place<Tile>();

  float sum[TM][TN] = {};
  const int slices = K / BK / 2, first = group * slices * BK;  // of this group
  Copies<Tile, kPack> copies(stages, A + first, lda, B + first * ldb, ldb, slices);
  if (slices > 0) {
    main_loop<Tile, copies.kParts, multiply_turning<TM, TN>>(stages, row, col, copies, slices, sum);
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // all stages are free
  if (int done = 2 * slices * BK; done < K) {
    done += min(group * BK, K - done);
    const int depth = min(BK, K - done);  // what is left for this group
    remainder<Tile>(stages[0], A + done, lda, B + done * ldb, ldb, depth, row, col, sum);
  }

  add_groups<Tile>(sum, storage);
  if (group > 0) return;
  epilogue<Tile>(sum, one, C, ldc, own_row - tile_row, own_col - tile_col, row, col);
}

template <class Tile, int kPack>
__global__ void __launch_bounds__(2 * Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_two_groups_kernel(const float* A, const float* B, float* C, int M, int N, int K,
                            float one) {
  sgemm_two_groups_multiply_tile<Tile, kPack>(A, B, C, M, N, K, blockIdx.x, one);
}

// C has at least one tile; kPack is 4 where all rows of B are aligned.
template <class Tile, int kPack>
void sgemm_two_groups_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  const auto kernel = sgemm_two_groups_kernel<Tile, kPack>;
  constexpr int kSharedBytes = 2 * Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const dim3 groups(kBlockSize, 2);
  kernel<<<tiles_m * tiles_n, groups, kSharedBytes, stream>>>(A, B, C, M, N, K, 1.0f);
}

inline void sgemm_two_groups(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<64, 128, 16, 32, 64, 8, 8, 3, 1>;
  if (M <= 0 || N <= 0) return;
  if (M < Tile::BM || N < Tile::BN) return sgemm_small(A, B, C, M, N, K, stream);
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto launch = aligned ? sgemm_two_groups_launch<Tile, 4> : sgemm_two_groups_launch<Tile, 1>;
  launch(A, B, C, M, N, K, stream);
}
