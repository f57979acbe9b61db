// Matrix product, C = A * B, row-major: Stream-K. Where the tiles do not fill all SMs to the
// end, some are dealt out slice by slice, so that every SM has as much to do.
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
__device__ void sgemm_equal_parts_multiply_tile(  //
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

// Who does what: the slices of the first `shared` tiles, one tile after the other, are dealt to the
// first `sharers` blocks in equal shares; each further tile has a block of its own.
struct sgemm_equal_parts_partition {
  int slices;  // of a tile
  int shared, sharers;

  // The first slice of a block, counted through all tiles.
  __host__ __device__ std::int64_t begin(int block) const {
    const std::int64_t shared_slices = std::int64_t{shared} * slices;
    if (block < sharers) return block * shared_slices / sharers;
    return shared_slices + std::int64_t{block - sharers} * slices;
  }
};

template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_equal_parts_kernel(const float* A, const float* B, float* C, int M, int N, int K,
                         sgemm_equal_parts_partition partition, float one) {
  const std::int64_t begin = partition.begin(blockIdx.x), end = partition.begin(blockIdx.x + 1);
#pragma unroll 1
  for (std::int64_t at = begin; at < end;) {
    const int tile = at / partition.slices, slice = at % partition.slices;
    const int count = min(std::int64_t{partition.slices - slice}, end - at);  // of this tile
    const int first = slice * Tile::BK, depth = min(count * Tile::BK, K - first);
    sgemm_equal_parts_multiply_tile<Tile, kPack>(A, B, C, M, N, K, tile, first, depth, one);
    __syncthreads();  // all stages are free
    at += count;
  }
}

inline void sgemm_equal_parts(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  if (M < BM || N < BN) return sgemm_small(A, B, C, M, N, K, stream);
  const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const int slices = std::max(K - 1, 0) / BK + 1;
  const int at_once = multiprocessors() * Tile::kBlocksPerSm, shared = tiles % at_once;
  const int sharers = std::min<std::int64_t>(at_once, std::int64_t{shared} * slices);
  const sgemm_equal_parts_partition partition{slices, shared, sharers};
  if (shared > 0) cudaMemsetAsync(C, 0, sizeof(float) * M * N, stream);
  // Four floats of B are copied at once where all rows are aligned.
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto kernel = aligned ? sgemm_equal_parts_kernel<Tile, 4> : sgemm_equal_parts_kernel<Tile, 1>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const unsigned blocks = tiles - partition.shared + partition.sharers;
  kernel<<<blocks, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, partition, 1.0f);
}
