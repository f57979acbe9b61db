// sgemm_stream_k's kernels for tiles of any size, with memory for partial tiles from the caller.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../instructions/device_attributes.cuh"
#include "17_sgemm_stream_k.cuh"
#include "partition.cuh"

template <class Tile>
int tiles_of(int M, int N) {
  return ((M - 1) / Tile::BM + 1) * ((N - 1) / Tile::BN + 1);
}

// Deals out the tiles that would leave SMs idle; without `share`, none.
template <class Tile>
Partition make_partition(int M, int N, int K, bool share) {
  const int at_once = multiprocessors() * Tile::kBlocksPerSm;
  const int shared = share ? tiles_of<Tile>(M, N) % at_once : 0;
  const int slices = std::max(K - 1, 0) / Tile::BK + 1;
  return {slices, shared, std::min<int>(at_once, std::int64_t{shared} * slices)};
}

// Floats in the partial tiles, two per sharer.
template <class Tile>
std::size_t partial_floats(int M, int N, int K) {
  return 2 * std::size_t(make_partition<Tile>(M, N, K, true).sharers) * Tile::BM * Tile::BN;
}

// C has at least one tile; kPack is 4 where all rows of B are aligned. Without `partials` each tile
// has a block of its own.
template <class Tile, int kPack>
void tuned_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, float* partials,
    cudaStream_t stream) {
  const Partition partition = make_partition<Tile>(M, N, K, partials != nullptr);
  const auto kernel = sgemm_stream_k_kernel<Tile, kPack>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const unsigned blocks = tiles_of<Tile>(M, N) - partition.shared + partition.sharers;
  kernel<<<blocks, Tile::kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, partition, partials,
                                                             1.0f);
  if (partition.shared == 0) return;
  constexpr int kManyParts = 16;  // parts of a tile
  const unsigned threads = partition.sharers >= kManyParts * partition.shared ? 4 : 1;
  const dim3 block(Tile::kBlockSize / threads, threads);
  const dim3 grid(Tile::BM * Tile::BN / block.x, partition.shared);
  sgemm_stream_k_sum_kernel<Tile><<<grid, block, 0, stream>>>(partials, C, M, N, partition);
}
