// Matrix product, C = A * B, row-major: a thread adds up four neighbors of partial tiles at once.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../instructions/dependent_launch.cuh"
#include "../instructions/device_attributes.cuh"
#include "small.cuh"

#include "last_slice_tile.cuh"
#include "partition.cuh"
#include "sum4.cuh"

template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_sum_float4_kernel(const float* A, const float* B, float* C, int M, int N, int K,
                            Partition partition, float* partials, float one) {
  const std::int64_t begin = partition.begin(blockIdx.x), end = partition.begin(blockIdx.x + 1);
#pragma unroll 1
  for (std::int64_t at = begin; at < end;) {
    const int tile = at / partition.slices, slice = at % partition.slices;
    const int count = min(std::int64_t{partition.slices - slice}, end - at);  // slices of this tile
    const int first = slice * Tile::BK, depth = min(count * Tile::BK, K - first);
    // A share may end one tile and begin another: two partial tiles per sharer.
    float* const partial =
        partials + (2 * blockIdx.x + (at == begin ? 0 : 1)) * std::size_t{Tile::BM * Tile::BN};
    multiply_tile_to_depth<Tile, kPack>(A, B, C, M, N, K, tile, first, depth, partial, one);
    __syncthreads();  // all stages are free
    at += count;
  }
}

// Fix-up of tile blockIdx.y. Four elements have blockDim.y threads, which take turns at their
// parts.
template <class Tile>
__global__ void __launch_bounds__(Tile::kBlockSize) sgemm_sum_float4_sum_kernel(  //
    const float* partials, float* C, int M, int N, Partition partition) {
  wait_for_kernel_ahead();  // for the partial tiles, if launched early, as sgemm_tuned does
  const std::int64_t begin = std::int64_t{blockIdx.y} * partition.slices;
  const int first = partition.sharer_of(begin);
  const int last = partition.sharer_of(begin + partition.slices - 1);
  if (first == last) return;  // one share computed the whole tile
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  float4 sum = {};
#pragma unroll 4
  for (int sharer = first + threadIdx.y; sharer <= last; sharer += blockDim.y) {
    // The first one may have begun with another tile; for the others this one is their first.
    const int second = sharer == first && partition.begin(first) < begin ? 1 : 0;
    add4(sum, partials + (2 * sharer + second) * std::size_t{Tile::BM * Tile::BN} + i);
  }
  if (blockDim.y > 1) {
    __shared__ float4 sums[Tile::kBlockSize];
    sums[threadIdx.y * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0) return;
    for (unsigned y = 1; y < blockDim.y; ++y) add4(sum, &sums[y * blockDim.x + threadIdx.x].x);
  }
  const auto [tile_row, tile_col, own_row, own_col] = tile_place<Tile>(blockIdx.y, M, N);
  const int row = max(tile_row, 0) + i / Tile::BN, col = max(tile_col, 0) + i % Tile::BN;
  if (row < own_row || row >= M) return;
  store4(C + row * std::size_t(N) + col, sum, own_col - col, N - col);
}

// C has at least one tile; kPack is 4 where all rows of B are aligned.
template <class Tile, int kPack>
void sgemm_sum_float4_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const int slices = std::max(K - 1, 0) / BK + 1;
  const int at_once = multiprocessors() * Tile::kBlocksPerSm, shared = tiles % at_once;
  const int sharers = std::min<std::int64_t>(at_once, std::int64_t{shared} * slices);
  Partition partition{slices, shared, sharers};
  float* partials = nullptr;
  const std::size_t bytes = 2 * std::size_t(sharers) * BM * BN * sizeof(float);
  if (bytes > 0 && cudaMallocAsync(&partials, bytes, stream) != cudaSuccess) {
    cudaGetLastError();
    partition.shared = partition.sharers = 0;  // then each tile has a block of its own
  }
  const auto kernel = sgemm_sum_float4_kernel<Tile, kPack>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const unsigned blocks = tiles - partition.shared + partition.sharers;
  kernel<<<blocks, kBlockSize, kSharedBytes, stream>>>(A, B, C, M, N, K, partition, partials, 1.0f);
  if (partials != nullptr) {
    constexpr int kManyParts = 16;  // parts of a tile
    const unsigned threads = sharers >= kManyParts * shared ? 4 : 1;
    const dim3 block(kBlockSize / threads, threads), grid(BM * BN / 4 / block.x, shared);
    sgemm_sum_float4_sum_kernel<Tile><<<grid, block, 0, stream>>>(partials, C, M, N, partition);
    cudaFreeAsync(partials, stream);
  }
}

inline void sgemm_sum_float4(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;
  if (M <= 0 || N <= 0) return;
  if (M < Tile::BM || N < Tile::BN) return sgemm_small(A, B, C, M, N, K, stream);
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto launch = aligned ? sgemm_sum_float4_launch<Tile, 4> : sgemm_sum_float4_launch<Tile, 1>;
  launch(A, B, C, M, N, K, stream);
}
