// sgemm_shares without the barrier between two tiles of a share.
//
// A share may end one tile and begin another. The copies for the second go to stages in which
// slower warps still read the remainder of the first. (Shares are made for 4 SMs here, so that one
// does.)
//
// Rejected by: racecheck (race) with --m 896 --n 256 --k 68
#pragma once

#include "../15_sgemm_shares.cuh"

namespace no_barrier_between_tiles {

template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_shares_kernel(const float* A, const float* B, float* C, int M, int N, int K,
                        Partition partition, float one) {
  const std::int64_t begin = partition.begin(blockIdx.x), end = partition.begin(blockIdx.x + 1);
#pragma unroll 1
  for (std::int64_t at = begin; at < end;) {
    const int tile = at / partition.slices, slice = at % partition.slices;
    const int count = min(std::int64_t{partition.slices - slice}, end - at);  // slices of this tile
    const int first = slice * Tile::BK, depth = min(count * Tile::BK, K - first);
    multiply_tile<Tile, kPack>(A, B, C, M, N, K, tile, first, depth, one);
    at += count;
  }
}

// C has at least one tile; kPack is 4 where all rows of B are aligned.
template <class Tile, int kPack>
void sgemm_shares_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const int slices = std::max(K - 1, 0) / BK + 1;
  const int at_once = 4, shared = tiles % at_once;
  const int sharers = std::min<std::int64_t>(at_once, std::int64_t{shared} * slices);
  Partition partition{slices, shared, sharers};
  if (shared > 0) cudaMemsetAsync(C, 0, sizeof(float) * M * N, stream);
  const auto kernel = sgemm_shares_kernel<Tile, kPack>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const unsigned blocks = tiles - partition.shared + partition.sharers;
  kernel<<<blocks, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, partition, 1.0f);
}

inline void sgemm_shares(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  if (M <= 0 || N <= 0) return;
  if (M < Tile::BM || N < Tile::BN) return sgemm_small(A, B, C, M, N, K, stream);
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto launch = aligned ? sgemm_shares_launch<Tile, 4> : sgemm_shares_launch<Tile, 1>;
  launch(A, B, C, M, N, K, stream);
}

}  // namespace no_barrier_between_tiles
