// Matrix product, C = A * B, row-major. A is first transposed into panels, whose slices are dense
// and are copied four floats at a time. Stream-K, as before.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../instructions/dependent_launch.cuh"
#include "../../instructions/device_attributes.cuh"
#include "../17_sgemm_stream_k.cuh"
#include "../27_sgemm_sum_float4.cuh"
#include "../tiling.cuh"
#include "../zorder.cuh"
#include "panel_copies.cuh"
#include "panel_epilogue.cuh"
#include "panel_main_loop.cuh"
#include "panels.cuh"
#include "tile_part.cuh"

// A part of a tile: multiplies slices of its panel by slices of B. The sums go to C, or are put
// aside. `one` is 1, but the compiler must not know: see epilogue.cuh.
template <class Tile, class Copies>
__device__ void sgemm_pack_multiply_part(  //
    const Copies& copies, const TilePart& part, bool to_C, float* C, int N,
    const PanelMemory& memory, float one) {
  const auto [row, col] = zorder_place<Tile>();
  float sum[Tile::TM][Tile::TN] = {};
  panel_main_loop<Tile>(row, col, copies, part.slices, sum);
  __pipeline_wait_prior(0);
  __syncthreads();  // all stages are free
  // A share may end one tile and begin another: two parts of each block.
  const std::size_t slot = 2 * blockIdx.x + (part.begins_share ? 0 : 1);
  const auto [tile_row, tile_col, own_row, own_col] = part.place;
  C += tile_row * std::size_t(N) + tile_col;
  panel_epilogue<Tile>(sum, one, to_C ? C : memory.parts + slot * (Tile::BM * Tile::BN),
                       to_C ? N : Tile::BN, to_C ? own_row - tile_row : 0,
                       to_C ? own_col - tile_col : 0, row, col);
}

template <class Tile>
__global__ void __launch_bounds__(Tile::kBlockSize, 1)
    sgemm_pack_kernel(PanelMemory memory, const float* B, float* C, int M, int N, int K,
                      Partition partition, float one) {
  extern __shared__ float4 storage[];
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage);  // kStages of them
  wait_for_kernel_ahead();
#pragma unroll 1
  for (int i = 0;; ++i) {
    const TilePart part = part_of_share<Tile>(partition, i, M, N);
    if (part.slices == 0) break;
    const PanelCopies<Tile> copies{stages, part_operands<Tile>(part, memory, B, N, K)};
    const bool whole = part.slices == partition.slices;
    sgemm_pack_multiply_part<Tile>(copies, part, whole, C, N, memory, one);
  }
}

// C has at least one tile, and all rows of B are aligned. `memory`: as sgemm_pack allocates it.
template <class Tile>
void sgemm_pack_launch(const float* A, const float* B, float* C, int M, int N, int K,
                       const Partition& partition, float* memory, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, kBlockSize = Tile::kBlockSize;
  const PanelMemory cut = make_panels<Tile>(A, memory, M, K, 2 * partition.sharers, stream);
  const auto kernel = sgemm_pack_kernel<Tile>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const unsigned tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const unsigned blocks = tiles - partition.shared + partition.sharers;
  launch_dependent(kernel, blocks, kBlockSize, kSharedBytes, stream, cut, B, C, M, N, K, partition,
                   1.0f);
  if (partition.shared == 0) return;
  constexpr int kManyParts = 16;  // parts of a tile
  const unsigned threads = partition.sharers >= kManyParts * partition.shared ? 4 : 1;
  const dim3 block(kBlockSize / threads, threads), grid(BM * BN / 4 / block.x, partition.shared);
  launch_dependent(sgemm_sum_float4_sum_kernel<Tile>, grid, block, 0, stream, cut.parts, C, M, N,
                   partition);
}

// Matrices smaller than a tile, or with rows of B that are not aligned, go to sgemm_stream_k; so do
// all on a GPU with too little shared memory.
inline void sgemm_pack(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = PanelTile<Tiling<128, 256, 16, 128, 32, 16, 8, 4, 1>>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  if (M < BM || N < BN || K < 1 || !aligned || !stages_fit<Tile>()) {
    return sgemm_stream_k(A, B, C, M, N, K, stream);
  }
  const int shared = ((M - 1) / BM + 1) * ((N - 1) / BN + 1) % multiprocessors();
  const int slices = (K - 1) / BK + 1;
  const int sharers = std::min<std::int64_t>(multiprocessors(), std::int64_t{shared} * slices);
  const std::size_t floats = panel_memory_floats(BM, BN, M, K, 2 * sharers);
  float* memory = nullptr;
  if (cudaMallocAsync(&memory, floats * sizeof(float), stream) != cudaSuccess) {
    cudaGetLastError();
    return sgemm_stream_k(A, B, C, M, N, K, stream);
  }
  sgemm_pack_launch<Tile>(A, B, C, M, N, K, {slices, shared, sharers}, memory, stream);
  cudaFreeAsync(memory, stream);
}
