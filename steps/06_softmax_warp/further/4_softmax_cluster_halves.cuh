// Softmax of every row of a matrix, one block per row, which waits in registers: x is read once.
// A cluster of blocks shares a row that one has no room for: two such blocks fit on an SM.
#pragma once

#include "../../instructions/cluster.cuh"
#include "../../instructions/device_attributes.cuh"
#include "../17_softmax_online.cuh"  // for rows that 8 blocks have no room for
#include "../span.cuh"
#include "../thread_part.cuh"
#include "prefetch.cuh"

// Every block of a cluster leaves its result where the others read it.
__device__ inline Part softmax_cluster_halves_merge(Part part, Part& of_block) {
  const unsigned lane = threadIdx.x % kWarpSize;
  if (threadIdx.x == 0) of_block = part;
  cluster_barrier();
  part = lane < cluster_blocks() ? *in_block(lane, &of_block) : Part{kBelowAll, 0.0f};
  cluster_barrier();  // a block whose result is still read must not end
  return group_merge<kWarpSize>(part);
}

// A thread has kFloats columns of the row. Those past its end count as -infinity: exp makes them 0.
template <int kThreads, int kFloats, bool kAligned, bool kCluster>
__global__ void __launch_bounds__(kThreads, std::min((kFloats < 32 ? 1536 : 1024) / kThreads, 32))
    softmax_cluster_halves_kernel(const float* x, float* y, std::size_t rows, unsigned cols,
                                  unsigned ahead) {
  __shared__ Part partial[kWarpSize], of_block;
  // A row that does not start on 16 bytes has one pack more than its length suggests.
  constexpr int kPack = 4, kPacks = kFloats / kPack + (kAligned ? 0 : 1);
  const unsigned rank = kCluster ? cluster_rank() : 0;
  const std::size_t row = blockIdx.x / (kCluster ? cluster_blocks() : 1);
  const unsigned shift = kAligned ? 0 : misalignment(x + row * cols);
  const float* const in = x + row * cols - shift;
  float* const out = y + row * cols - shift;
  const unsigned first_pack = rank * kThreads * kPacks + threadIdx.x;
  float part[kPacks][kPack];

#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const unsigned i = first_pack + p * kThreads;
    auto& pack = part[p];
    for (float& value : pack) value = -INFINITY;
    load_span<kAligned>(in, shift, shift + cols, i, pack);
  }

  // Memory need not be idle while the threads compute.
  prefetch_row(x, row + ahead, rows, cols, rank * kThreads * kFloats, kThreads * kFloats);

  const Part own = take_exponentials(part);
  Part all = block_merge(own, partial);
  if constexpr (kCluster) all = softmax_cluster_halves_merge(all, of_block);

  const float scale = fast_exp(own.max - all.max) / all.sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const unsigned i = first_pack + p * kThreads;
    auto& pack = part[p];
    for (float& value : pack) value *= scale;
    store_span<kAligned>(out, shift, shift + cols, i, pack);
  }
}

template <int kThreads, int kFloats, bool kAligned>
void launch_softmax_cluster_halves(const float* x, float* y, std::size_t rows, unsigned cols,
                                   cudaStream_t stream) {
  if (kFloats < 32 && cols > kThreads * kFloats) {
    constexpr int kMoreThreads = std::min(2 * kThreads, 1024);
    constexpr int kMoreFloats = kThreads == 1024 ? 32 : 16;  // more threads come first
    return launch_softmax_cluster_halves<kMoreThreads, kMoreFloats, kAligned>(x, y, rows, cols,
                                                                              stream);
  }
  // An SM holds two blocks of 512 threads, mostly of different clusters: while one waits for
  // its cluster, the other one reads or writes. Only the longest rows need all threads.
  const bool half = cols > kThreads * kFloats && cols <= kMaxClusterBlocks * 512 * 32;
  const unsigned threads = half ? 512 : kThreads;
  // Any further ahead, and L2 would evict some of it before it is wanted.
  const std::size_t bytes = multiprocessors() * (threads < 1024 ? 48 : 64) * std::size_t{1024};
  const auto ahead = static_cast<unsigned>(bytes / (cols * sizeof(float)));
  const auto kernel = softmax_cluster_halves_kernel<kThreads, kFloats, kAligned, false>;
  const unsigned blocks = (cols - 1) / (threads * kFloats) + 1;  // per row
  if (blocks > 1) {
    const auto shared = half ? softmax_cluster_halves_kernel<512, 32, kAligned, true>
                             : softmax_cluster_halves_kernel<1024, 32, kAligned, true>;
    return launch_clusters(shared, static_cast<unsigned>(rows * blocks), blocks, threads, stream, x,
                           y, rows, cols, ahead);
  }
  kernel<<<grid_size(rows), kThreads, 0, stream>>>(x, y, rows, cols, ahead);
}

inline void softmax_cluster_halves(const float* x, float* y, std::size_t rows, std::size_t cols,
                                   cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const int blocks = max_cluster_blocks(softmax_cluster_halves_kernel<1024, 32, true, true>);
  const bool fits = cols <= blocks * std::size_t{32 * 1024} &&
                    rows <= INT_MAX / kMaxClusterBlocks && misalignment(x) == misalignment(y);
  if (!fits) return softmax_online(x, y, rows, cols, stream);
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto launch = aligned ? launch_softmax_cluster_halves<32, 16, true>
                              : launch_softmax_cluster_halves<32, 16, false>;
  launch(x, y, rows, static_cast<unsigned>(cols), stream);
}
