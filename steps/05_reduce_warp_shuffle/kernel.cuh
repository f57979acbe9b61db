// Sum of a vector: a warp adds up its elements from register to register.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

constexpr int kBlockSize = 256;  // threads in a block

constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block
constexpr int kPack = 4;                        // floats in a 128-bit access
constexpr int kTile = kBlockSize * kPack;       // elements one block handles at a time
constexpr int kInFlight = 4;                    // packs a thread asks for at once
constexpr unsigned kAllLanes = 0xffffffff;

// The sum of `value` over the warp; valid in lane 0.
__device__ inline float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}

// The sum of `value` over the block; valid in thread 0. Between two calls there
// has to be a barrier: the first warp may still be reading `partial`.
__device__ inline float block_sum(float value) {
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  __shared__ float partial[kWarpSize];  // for as many warps as a block can have
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  value = warp_sum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  const int warps = blockDim.x / kWarpSize;
  if (warp == 0) value = warp_sum(lane < warps ? partial[lane] : 0.0f);
  return value;
}

// [reduce_shuffle]
// A tree inside the block, then n / kBlockSize additions in a row to one float.
__global__ void reduce_shuffle_kernel(const float* x, float* sum, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = i < n ? x[i] : 0.0f;  // no early return: a barrier follows
  value = block_sum(value);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

inline void reduce_shuffle(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  reduce_shuffle_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}
// [reduce_shuffle]

// Floats from p to the next 16-byte boundary, where 128-bit accesses may start.
__device__ inline std::size_t floats_to_boundary(const float* p) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(p) / sizeof(float) % kPack;
  return (kPack - past) % kPack;
}

__device__ inline float pack_sum(float4 v) { return (v.x + v.y) + (v.z + v.w); }

static_assert(kBlockSize >= 2 * (kPack - 1), "the first block does all the edges");

// [reduce_shuffle_float4]
// As in step 02: a head of 0..3 elements, packs of four, a tail of 0..3.
__global__ void reduce_shuffle_float4_kernel(const float* x, float* sum, std::size_t n) {
  const std::size_t head = min(floats_to_boundary(x), n);
  const std::size_t packs = (n - head) / kPack;
  const std::size_t edges = n - packs * kPack;  // head and tail: 0..6
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = 0.0f;
  if (i < packs) value = pack_sum(reinterpret_cast<const float4*>(x + head)[i]);
  if (i < edges) value += x[i < head ? i : i + packs * kPack];
  value = block_sum(value);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

inline void reduce_shuffle_float4(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kTile - 1) / kTile);
  reduce_shuffle_float4_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}
// [reduce_shuffle_float4]

// [reduce_grid_stride]
// What the calling thread adds up of the vector: packs that lie a grid's threads apart, and no more
// than one element of the edges.
__device__ inline float grid_stride_sum(const float* x, std::size_t n) {
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
  return value;
}

// As many blocks as the GPU holds at once; each thread strides over the vector.
__global__ void reduce_grid_stride_kernel(const float* x, float* sum, std::size_t n) {
  const float value = block_sum(grid_stride_sum(x, n));
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

inline void reduce_grid_stride(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(sum, 0, sizeof(float), stream);  // the blocks add to it
  if (n == 0) return;
  int device = 0;
  int sms = 0;
  int blocks_per_sm = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, reduce_grid_stride_kernel,
                                                kBlockSize, 0);
  const auto resident = static_cast<std::size_t>(sms * blocks_per_sm);
  const auto blocks = static_cast<unsigned>(std::min((n + kTile - 1) / kTile, resident));
  reduce_grid_stride_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sum, n);
}
// [reduce_grid_stride]

// [reduce_two_pass]
// The blocks store their sums; a second launch, of one block, adds those up.
// Who adds what depends on n and the head alone: every run, the same bits.
__global__ void reduce_two_pass_kernel(const float* x, float* sums, std::size_t n) {
  const float value = block_sum(grid_stride_sum(x, n));
  if (threadIdx.x == 0) sums[blockIdx.x] = value;
}

inline void reduce_two_pass(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t kMaxBlocks = 1024;  // not the GPU's SM count: the bits would follow it
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((n + kTile - 1) / kTile, 1, kMaxBlocks));
  float* sums = nullptr;  // (blocks)
  // Where there is no memory, the caller finds the error as it does that of a launch.
  if (cudaMallocAsync(&sums, blocks * sizeof(float), stream) != cudaSuccess) return;
  reduce_two_pass_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sums, n);
  reduce_two_pass_kernel<<<1, kBlockSize, 0, stream>>>(sums, sum, blocks);
  cudaFreeAsync(sums, stream);
}
// [reduce_two_pass]

// [reduce_many_blocks]
// The same kernel with far more blocks than fit: an SM that is done with one
// takes the next, so that none stands idle while another has much left to do.
inline void reduce_many_blocks(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  constexpr int kMostThreads = 1024;         // of a block: an atomic each for fewer blocks
  constexpr std::size_t kMaxBlocks = 16384;  // as many atomics in a row
  constexpr std::size_t kShare = kInFlight * kMostThreads * kPack;  // what a block has under way
  cudaMemsetAsync(sum, 0, sizeof(float), stream);                   // the blocks add to it
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(std::min((n + kShare - 1) / kShare, kMaxBlocks));
  reduce_grid_stride_kernel<<<blocks, kMostThreads, 0, stream>>>(x, sum, n);
}
// [reduce_many_blocks]

// [reduce_last_block]
// The blocks store their sums; the one that finishes last adds those up.
// Who adds what depends on n and the head alone: every run, the same bits.
__global__ void reduce_last_block_kernel(const float* x, float* sums, unsigned* blocks_done,
                                         float* sum, std::size_t n) {
  float value = block_sum(grid_stride_sum(x, n));

  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = value;
    __threadfence();  // whoever sees the count sees the sum, too
    is_last = atomicAdd(blocks_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;  // the whole block
  __threadfence();       // nor is a sum read before the count
  // From where all blocks' stores arrive, past the SM's own cache.
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
  constexpr std::size_t kMaxBlocks = 8192;  // not the GPU's SM count: the bits would follow it
  constexpr std::size_t kShare = kInFlight * kTile;
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((n + kShare - 1) / kShare, 1, kMaxBlocks));
  float* sums = nullptr;  // (blocks), and behind them a count of blocks
  if (cudaMallocAsync(&sums, (blocks + 1) * sizeof(float), stream) != cudaSuccess) return;
  const auto blocks_done = reinterpret_cast<unsigned*>(sums + blocks);
  cudaMemsetAsync(blocks_done, 0, sizeof(unsigned), stream);
  reduce_last_block_kernel<<<blocks, kBlockSize, 0, stream>>>(x, sums, blocks_done, sum, n);
  cudaFreeAsync(sums, stream);
}
// [reduce_last_block]
