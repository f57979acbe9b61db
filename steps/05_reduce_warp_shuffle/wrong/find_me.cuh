// Sum of a vector: the blocks store their sums, and the one that finishes last adds those up. The
// order of the additions depends on n and the head alone, so every run gives the same bits.
#pragma once

#include "../5_reduce_last_block.cuh"

namespace find_me {

// As in step 02: a head of 0..3 elements, packs of four, a tail of 0..3.
template <int kInFlight, int kBlockSize>  // packs that a thread asks for at once; threads per block
__global__ void reduce_last_block_kernel(const float* x, float* sums, unsigned* blocks_done,
                                         float* sum, std::size_t n) {
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
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();  // whoever sees the count sees the sum, too
    sums[blockIdx.x] = value;
    is_last = atomicAdd(blocks_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;  // the whole block
  __threadfence();       // the other half of the pair: no sum is read before the count
  // __ldcg reads from L2, where the stores of all blocks arrive; nothing is read twice.
  const unsigned sum_packs = gridDim.x / kPack;
  value = 0.0f;
#pragma unroll kInFlight
  for (unsigned pack = threadIdx.x; pack < sum_packs; pack += kBlockSize) {
    value += pack_sum(__ldcg(reinterpret_cast<const float4*>(sums) + pack));
  }
  if (threadIdx.x < gridDim.x % kPack) value += __ldcg(sums + sum_packs * kPack + threadIdx.x);
  value = block_sum(value);
  if (threadIdx.x == 0) *sum = value;
}

inline void reduce_last_block(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;            // threads per block
  constexpr int kTile = kBlockSize * kPack;  // elements per block and load
  constexpr int kInFlight = 4;               // packs that a thread asks for at once
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  static_assert(kBlockSize >= 2 * (kPack - 1), "the first block does all the edges");
  constexpr std::size_t kMaxBlocks = 8192;  // not the GPU's SM count: the bits would follow it
  constexpr std::size_t kShare = kInFlight * kTile;  // elements that a block has in flight
  const auto kernel = reduce_last_block_kernel<kInFlight, kBlockSize>;
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((n + kShare - 1) / kShare, 1, kMaxBlocks));
  float* sums = nullptr;  // (blocks), and behind them the count of finished blocks
  // If there is no memory, the caller finds the error as it would that of a launch.
  if (cudaMallocAsync(&sums, (blocks + 1) * sizeof(float), stream) != cudaSuccess) return;
  const auto blocks_done = reinterpret_cast<unsigned*>(sums + blocks);
  cudaMemsetAsync(blocks_done, 0, sizeof(unsigned), stream);
  kernel<<<blocks, kBlockSize, 0, stream>>>(x, sums, blocks_done, sum, n);
  cudaFreeAsync(sums, stream);
}

}  // namespace find_me
