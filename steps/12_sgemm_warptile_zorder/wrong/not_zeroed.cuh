// sgemm_split_k that adds its parts to a C that it never set to zero.
//
// An atomic addition adds to what is there. On a GPU, fresh memory is often zero, and the result is
// right the first time.
//
// May also show: initcheck (uninitialized)
// Rejected by: result with --m 128 --n 256 --k 40
#pragma once

#include "../14_sgemm_split_k.cuh"

namespace not_zeroed {

// A tile has `slices` along K; the last one may be less than BK deep.
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
  multiply_tile<Tile, kPack>(A, B, C, M, N, K, tile, first, depth, one);
}

// C has at least one tile; kPack is 4 where all rows of B are aligned.
template <class Tile, int kPack>
void sgemm_split_k_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const int slices = std::max(K - 1, 0) / BK + 1;
  const int parts = std::clamp(multiprocessors() / tiles, 1, slices);
  const sgemm_split_k_partition partition{slices, parts};
  const auto kernel = sgemm_split_k_kernel<Tile, kPack>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  kernel<<<tiles * parts, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, partition, 1.0f);
}

inline void sgemm_split_k(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  if (M <= 0 || N <= 0) return;
  if (M < Tile::BM || N < Tile::BN) return sgemm_small(A, B, C, M, N, K, stream);
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto launch = aligned ? sgemm_split_k_launch<Tile, 4> : sgemm_split_k_launch<Tile, 1>;
  launch(A, B, C, M, N, K, stream);
}

}  // namespace not_zeroed
