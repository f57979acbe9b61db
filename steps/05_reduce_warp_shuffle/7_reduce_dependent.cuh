// Sum of a vector in two launches, of which the second is on its SM before the first has ended, and
// waits there. The order of the additions depends on n and the head alone: the same bits every run.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../instructions/dependent_launch.cuh"
#include "block_sum.cuh"
#include "packs.cuh"

// As in step 02: a head of 0..3 elements, packs of four, a tail of 0..3.
template <int kInFlight>  // packs that a thread asks for at once
__global__ void reduce_dependent_kernel(const float* x, float* sums, std::size_t n) {
  wait_for_kernel_ahead();  // the second launch for the first one's sums
  let_next_kernel_start();
  const std::size_t head = min(floats_to_boundary(x), n);
  const std::size_t packs = (n - head) / kPack;
  const std::size_t edges = n - packs * kPack;  // head and tail: 0..6
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  float value = 0.0f;
  for (std::size_t first = i; first < packs; first += kInFlight * threads) {
    float4 v[kInFlight] = {};  // all on their way before the first is needed
    for (int k = 0; k < kInFlight; ++k) {
      const std::size_t pack = first + k * threads;
      if (pack < packs) v[k] = reinterpret_cast<const float4*>(x + head)[pack];
    }
    for (int k = 0; k < kInFlight; ++k) value += pack_sum(v[k]);
  }
  if (i < edges) value += x[i < head ? i : i + packs * kPack];
  value = block_sum(value);
  if (threadIdx.x == 0) sums[blockIdx.x] = value;
}

inline void reduce_dependent(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 1024;           // the maximum, for few sums
  constexpr int kTile = kBlockSize * kPack;  // elements per block and load
  constexpr int kInFlight = 4;               // packs that a thread asks for at once
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  static_assert(kBlockSize >= 2 * (kPack - 1), "the first block does all the edges");
  constexpr std::size_t kShare = kInFlight * kTile;  // elements that a block has in flight
  constexpr std::size_t kOneBlock = 5 * kShare;
  constexpr std::size_t kMaxBlocks = kShare;  // the second launch has all sums in flight
  const auto kernel = reduce_dependent_kernel<kInFlight>;
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((n + kShare - 1) / kShare, 1, kMaxBlocks));
  if (n <= kOneBlock) {  // which ends before a second launch would
    kernel<<<1, kBlockSize, 0, stream>>>(x, sum, n);
    return;
  }
  float* sums = nullptr;  // (blocks)
  // If there is no memory, the caller finds the error as it would that of a launch.
  if (cudaMallocAsync(&sums, blocks * sizeof(float), stream) != cudaSuccess) return;
  kernel<<<blocks, kBlockSize, 0, stream>>>(x, sums, n);
  launch_dependent(kernel, 1, kBlockSize, 0, stream, sums, sum, blocks);
  cudaFreeAsync(sums, stream);
}
