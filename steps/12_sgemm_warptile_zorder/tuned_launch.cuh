// The kernels of sgemm_stream_k and sgemm_sum_float4 for tiles of any size, with memory for partial
// tiles from the caller.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "17_sgemm_stream_k.cuh"
#include "27_sgemm_sum_float4.cuh"
#include "partition.cuh"

inline int tiles_of(int BM, int BN, int M, int N) {
  return ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
}

// Two partial tiles per sharer.
inline std::size_t partial_floats(int BM, int BN, const Partition& partition) {
  return 2 * std::size_t(partition.sharers) * BM * BN;
}

// kWholeTiles: for a C that is no smaller than a tile, and whole slices of K, with sgemm_stream_k.
// kPack is 4 where all rows of B are aligned.
template <class Tile, int kPack, bool kWholeTiles>
constexpr auto tuned_kernel() {
  if constexpr (kWholeTiles) {
    return sgemm_stream_k_kernel<Tile, kPack>;
  } else {
    return sgemm_sum_float4_kernel<Tile, kPack>;
  }
}

template <class Tile, int kPack, bool kWholeTiles>
void tuned_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Partition& partition,
    float* partials, cudaStream_t stream) {
  const auto kernel = tuned_kernel<Tile, kPack, kWholeTiles>();
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const unsigned blocks = tiles_of(Tile::BM, Tile::BN, M, N) - partition.shared + partition.sharers;
  kernel<<<blocks, Tile::kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, partition, partials,
                                                             1.0f);
  if (partition.shared == 0) return;
  constexpr int kManyParts = 16;  // parts of a tile
  const unsigned threads = partition.sharers >= kManyParts * partition.shared ? 4 : 1;
  const dim3 block(Tile::kBlockSize / threads, threads);
  const dim3 grid(Tile::BM * Tile::BN / 4 / block.x, partition.shared);
  launch_dependent(sgemm_sum_float4_sum_kernel<Tile>, grid, block, 0, stream, partials, C, M, N,
                   partition);
}
