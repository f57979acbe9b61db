// Matrix product, C = A * B, row-major, of an A in panels, by one block per SM.
// Narrow tiles where wide ones would reach far over C's right edge: less is computed twice.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../../instructions/dependent_launch.cuh"
#include "../../instructions/device_attributes.cuh"
#include "../../instructions/held_address.cuh"
#include "../17_sgemm_stream_k.cuh"
#include "../27_sgemm_sum_float4.cuh"
#include "../tiling.cuh"
#include "../zorder.cuh"
#include "ahead_copies.cuh"
#include "handover.cuh"
#include "panel_epilogue.cuh"
#include "panel_main_loop.cuh"
#include "panels.cuh"
#include "tile_part.cuh"
#include "two_widths.cuh"

// A part of a tile: multiplies slices of its panel by slices of B. The sums go to C, or are put
// aside. `one` is 1, but the compiler must not know: see epilogue.cuh.
template <class Tile, class Copies>
__device__ void sgemm_two_widths_multiply_part(  //
    const Copies& copies, const TilePart& part, bool to_C, float* C, int N,
    const PanelMemory& memory, unsigned first, float one) {
  const auto [row, col] = zorder_place<Tile>();
  float sum[Tile::TM][Tile::TN] = {};
  panel_main_loop<Tile>(row, col, copies, part.slices, sum, copies.started);
  __pipeline_wait_prior(0);
  if (!kHasBulkCopy) __syncthreads();  // all stages are free
  const std::size_t slot = blockIdx.x;
  const auto [tile_row, tile_col, own_row, own_col] = part.place;
  C += tile_row * std::size_t(N) + tile_col;
  panel_epilogue<Tile>(sum, one, to_C ? C : memory.parts + slot * (Tile::BM * Tile::BN),
                       to_C ? N : Tile::BN, to_C ? own_row - tile_row : 0,
                       to_C ? own_col - tile_col : 0, row, col,
                       OtherParts<Tile>{memory.parts, memory.ready, first});
  __syncwarp();
  if (to_C || threadIdx.x % kWarpSize > 0) return;
  WarpCounter(memory.ready[slot]).fetch_add(1, cuda::memory_order_release);
}

template <class Tile>
__global__ void __launch_bounds__(Tile::kBlockSize, 1)
    sgemm_two_widths_kernel(PanelMemory memory, const float* B, float* C, int M, int N, int K,
                            TwoWidths partition, float one) {
  extern __shared__ float4 storage[];
  auto* const stages = held_address(reinterpret_cast<typename Tile::Stage*>(storage));
  for (int i = 0; i < Tile::kStages && threadIdx.x == 0; ++i) {
    memory_barrier_init(&stages[i].arrived, 1);
    memory_barrier_init(&stages[i].free, Tile::kBlockSize / kWarpSize);
    fence_shared_for_bulk_copy();
  }
  wait_for_kernel_ahead();
  __syncthreads();  // nobody waits at a barrier that is not initialized yet
  const unsigned warp = __shfl_sync(~0u, threadIdx.x / kWarpSize, 0);  // uniform, and ptxas sees it
  unsigned before = 0;  // slices that have come by bulk copies
  bool started = false;
#pragma unroll 1
  for (int i = 0;; ++i) {
    const TilePart part = part_of_share<Tile>(partition, i, M, N);
    if (part.slices == 0) break;
    TilePart next = part_of_share<Tile>(partition, i + 1, M, N);
    // A shorter part starts its copies itself: the main loop relies on kAhead slices.
    if (!kHasBulkCopy || next.slices < AheadCopies<Tile>::kAhead) next.slices = 0;
    const PartOperands operands = part_operands<Tile>(part, memory, B, N, K);
    const PartOperands after = part_operands<Tile>(next, memory, B, N, K);
    const AheadCopies<Tile> copies{{{stages, operands}, warp, before}, after, started};
    const bool last = part.first + part.slices == partition.slices;
    unsigned first = blockIdx.x;  // with slices of this tile, if this block adds them up
    if (last)
      while (partition.begin(first) > std::int64_t{part.tile} * partition.slices) --first;
    if (part.columns < Tile::BN) {
      sgemm_two_widths_multiply_part<Narrow<Tile>>(copies, part, last, C, N, memory, first, one);
    } else {
      sgemm_two_widths_multiply_part<Tile>(copies, part, last, C, N, memory, first, one);
    }
    if (kHasBulkCopy) before += part.slices;
    started = next.slices > 0;
  }
}

// C has at least one tile, and all rows of B are aligned. `memory`: as sgemm_two_widths allocates
// it.
template <class Tile>
void sgemm_two_widths_launch(const float* A, const float* B, float* C, int M, int N, int K,
                             const TwoWidths& partition, float* memory, cudaStream_t stream) {
  constexpr int kBlockSize = Tile::kBlockSize;
  const PanelMemory cut = make_panels<Tile>(A, memory, M, K, partition.sharers, stream);
  const auto kernel = sgemm_two_widths_kernel<Tile>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  launch_dependent(kernel, partition.sharers, kBlockSize, kSharedBytes, stream, cut, B, C, M, N, K,
                   partition, 1.0f);
}

// Matrices smaller than a tile, or with rows of B that are not aligned, go to sgemm_stream_k; so do
// all on a GPU with too little shared memory.
inline void sgemm_two_widths(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = BulkTile<Tiling<512, 96, 8, 64, 96, 16, 12, 8, 1>>;
  constexpr int BM = Tile::BM, BN = Tile::BN;
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  if (M < BM || N < BN || K < 1 || !aligned || !stages_fit<Tile>()) {
    return sgemm_stream_k(A, B, C, M, N, K, stream);
  }
  const TwoWidths partition = make_two_widths<Tile>(M, N, K, multiprocessors());
  const std::size_t floats = panel_memory_floats(BM, BN, M, K, partition.sharers);
  float* memory = nullptr;
  if (cudaMallocAsync(&memory, floats * sizeof(float), stream) != cudaSuccess) {
    cudaGetLastError();
    return sgemm_stream_k(A, B, C, M, N, K, stream);
  }
  sgemm_two_widths_launch<Tile>(A, B, C, M, N, K, partition, memory, stream);
  cudaFreeAsync(memory, stream);
}
