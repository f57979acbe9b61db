// Matrix product, C = A * B, row-major. A is first transposed into panels, whose slices are dense
// and are copied four floats at a time. Stream-K, as before.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../instructions/device_attributes.cuh"
#include "../17_sgemm_stream_k.cuh"
#include "../27_sgemm_sum_float4.cuh"
#include "../partition.cuh"
#include "../tile_place.cuh"
#include "../tiling.cuh"
#include "../zorder.cuh"
#include "panel_copies.cuh"
#include "panel_epilogue.cuh"
#include "panel_main_loop.cuh"
#include "panel_remainder.cuh"
#include "panels.cuh"

// One tile: multiplies (depth, BM) of its panel, from row `first` on, by (depth, BN) of B. `one` is
// 1, but the compiler must not know: see panel_epilogue.cuh.
template <class Tile>
__device__ void sgemm_pack_multiply_tile(  //
    typename Tile::Stage* stages, const float* panels, const float* B, float* C, int M, int N,
    int K, int tile, int first, int depth, float* partial, float one) {
  constexpr int BM = Tile::BM, BK = Tile::BK;
  const std::size_t ldb = N, ldc = N;  // 64 bits: offsets pass 2^31
  const auto [tile_row, tile_col, own_row, own_col] = tile_place<Tile>(tile, M, N);
  const float* A = panels + own_row * std::size_t(K) + first * std::size_t{BM};  // (depth, BM)
  B += first * ldb + tile_col;                                                   // (depth, BN)
  C += tile_row * ldc + tile_col;                                                // (BM, BN)
  const auto [row, col] = zorder_place<Tile>();

  float sum[Tile::TM][Tile::TN] = {};
  const int slices = depth / BK;
  if (slices > 0) {
    const PanelCopies<Tile> copies{stages, A, B, ldb, slices};
    panel_main_loop<Tile>(row, col, copies, slices, sum);
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // all stages are free
  if (const int done = slices * BK; done < depth) {
    panel_remainder<Tile>(stages[0], A + done * BM, B + done * ldb, ldb, depth - done, row, col,
                          sum);
  }
  const bool whole = depth == K;
  panel_epilogue<Tile>(sum, one, whole ? C : partial, whole ? ldc : Tile::BN,
                       whole ? own_row - tile_row : 0, whole ? own_col - tile_col : 0, row, col);
}

template <class Tile>
__global__ void __launch_bounds__(Tile::kBlockSize, 1)
    sgemm_pack_kernel(const float* panels, const float* B, float* C, int M, int N, int K,
                      Partition partition, float* partials, float one) {
  extern __shared__ float4 storage[];
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage);  // kStages of them
  const std::int64_t begin = partition.begin(blockIdx.x), end = partition.begin(blockIdx.x + 1);
#pragma unroll 1
  for (std::int64_t at = begin; at < end;) {
    const int tile = at / partition.slices, slice = at % partition.slices;
    const int count = min(std::int64_t{partition.slices - slice}, end - at);  // slices of this tile
    const int first = slice * Tile::BK, depth = min(count * Tile::BK, K - first);
    // A share may end one tile and begin another: two partial tiles per sharer.
    float* const partial =
        partials + (2 * blockIdx.x + (at == begin ? 0 : 1)) * std::size_t{Tile::BM * Tile::BN};
    sgemm_pack_multiply_tile<Tile>(stages, panels, B, C, M, N, K, tile, first, depth, partial, one);
    __syncthreads();  // all stages are free
    at += count;
  }
}

// C has at least one tile, and all rows of B are aligned. `memory`: the panels, and two partial
// tiles for each sharer.
template <class Tile>
void sgemm_pack_launch(const float* A, const float* B, float* C, int M, int N, int K,
                       const Partition& partition, float* memory, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, kBlockSize = Tile::kBlockSize;
  float *const panels = memory, *const partials = memory + panel_floats(BM, M, K);
  make_panels<BM>(A, panels, M, K, stream);
  const auto kernel = sgemm_pack_kernel<Tile>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const unsigned tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const unsigned blocks = tiles - partition.shared + partition.sharers;
  kernel<<<blocks, kBlockSize, kSharedBytes, stream>>>(panels, B, C, M, N, K, partition, partials,
                                                       1.0f);
  if (partition.shared == 0) return;
  constexpr int kManyParts = 16;  // parts of a tile
  const unsigned threads = partition.sharers >= kManyParts * partition.shared ? 4 : 1;
  const dim3 block(kBlockSize / threads, threads), grid(BM * BN / 4 / block.x, partition.shared);
  launch_dependent(sgemm_sum_float4_sum_kernel<Tile>, grid, block, stream, partials, C, M, N,
                   partition);
}

// Matrices smaller than a tile, or with rows of B that are not aligned, go to sgemm_stream_k.
inline void sgemm_pack(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = PanelTile<Tiling<128, 256, 16, 128, 32, 16, 8, 4, 1>>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  if (M < BM || N < BN || K < 1 || !aligned) return sgemm_stream_k(A, B, C, M, N, K, stream);
  const int shared = ((M - 1) / BM + 1) * ((N - 1) / BN + 1) % multiprocessors();
  const int slices = (K - 1) / BK + 1;
  const int sharers = std::min<std::int64_t>(multiprocessors(), std::int64_t{shared} * slices);
  const std::size_t floats = panel_floats(BM, M, K) + 2 * std::size_t(sharers) * BM * BN;
  float* memory = nullptr;
  if (cudaMallocAsync(&memory, floats * sizeof(float), stream) != cudaSuccess) {
    cudaGetLastError();
    return sgemm_stream_k(A, B, C, M, N, K, stream);
  }
  sgemm_pack_launch<Tile>(A, B, C, M, N, K, {slices, shared, sharers}, memory, stream);
  cudaFreeAsync(memory, stream);
}
