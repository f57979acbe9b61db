// Matrix product, C = A * B, row-major: split-K. Where C has few tiles, several blocks share the
// slices of each, and add up their parts of it with atomics.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../instructions/device_attributes.cuh"
#include "fragments.cuh"
#include "remainder.cuh"
#include "small.cuh"
#include "store4.cuh"
#include "tiling.cuh"
#include "turning.cuh"
#include "zorder.cuh"

#include "copies.cuh"
#include "spread_main_loop.cuh"

#include "epilogue.cuh"
#include "tile_place.cuh"

// Multiplies (BM, depth) of A, from its column `first` on, by (depth, BN) of B, to a tile of C.
// `one` is 1, which the compiler must not know: see epilogue.cuh.
template <class Tile, int kPack>
__device__ void sgemm_split_k_multiply_tile(  //
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

  if (depth == K) {
    return epilogue<Tile>(sum, one, C, ldc, own_row - tile_row, own_col - tile_col, row, col);
  }
  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; ++n) {
      const int r = row + m / 4 * Tile::kStepM + m % 4, c = col + n / 4 * Tile::kStepN + n % 4;
      if (tile_row + r >= own_row && tile_col + c >= own_col) atomicAdd(C + r * ldc + c, sum[m][n]);
    }
  }
}

// Who does what: a tile has `slices` along K, of which the last may be less than BK deep.
struct sgemm_split_k_partition {
  int slices, parts;  // of a tile

  // The first slice of a block, counted through all tiles.
  __device__ std::int64_t begin(int block) const { return std::int64_t{block} * slices / parts; }
};

template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_split_k_kernel(const float* A, const float* B, float* C, int M, int N, int K,
                         sgemm_split_k_partition partition, float one) {
  const std::int64_t begin = partition.begin(blockIdx.x), end = partition.begin(blockIdx.x + 1);
  const int tile = begin / partition.slices, first = begin % partition.slices * Tile::BK;
  const int depth = min(static_cast<int>(end - begin) * Tile::BK, K - first);
  sgemm_split_k_multiply_tile<Tile, kPack>(A, B, C, M, N, K, tile, first, depth, one);
}

inline void sgemm_split_k(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  if (M < BM || N < BN) return sgemm_small(A, B, C, M, N, K, stream);
  const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const int slices = std::max(K - 1, 0) / BK + 1;
  const int parts = std::clamp(multiprocessors() / tiles, 1, slices);
  const sgemm_split_k_partition partition{slices, parts};
  if (parts > 1) cudaMemsetAsync(C, 0, sizeof(float) * M * N, stream);
  // Four floats of B are copied at once where all rows are aligned.
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto kernel = aligned ? sgemm_split_k_kernel<Tile, 4> : sgemm_split_k_kernel<Tile, 1>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  kernel<<<tiles * parts, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, partition, 1.0f);
}
