// Softmax of rows that fit in the registers of a block, or of a cluster of blocks: x is read once.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>

#include "cluster.cuh"
#include "exponential.cuh"
#include "reduce.cuh"
#include "rows.cuh"
#include "softmax_block.cuh"
#include "softmax_online.cuh"

// [softmax_cluster]
constexpr int kMostThreads = 1024;  // of a block
constexpr int kFewFloats = 16;      // registers a thread, for its part of a row
constexpr int kManyFloats = 32;     // where those of a block are too few
constexpr int kMaxBlockCols = kMostThreads * kManyFloats;

// What L2 fetches ahead, for each SM. Of more, it would have lost some again before it is wanted.
template <int kThreads>
constexpr std::size_t kAheadBytes = (kThreads < kMostThreads ? 48 : 64) * 1024;

// Threads that an SM should have room for, with the registers that they then may have.
template <int kFloats>
constexpr int kSmThreads = kFloats <= kFewFloats ? 1536 : 1024;

// A block has a row; in clusters, a part of one:
//
//   cols = 70000, kThreads = 1024     |  32768  |  32768  |  4464   |
//                             block        0         1         2
//
// Each thread takes the exponentials with its own maximum, and makes up for that in the last
// factor. So maxima and sums are put together at the same time, behind one barrier.
template <int kThreads, int kFloats, bool kAligned, bool kCluster>
__global__ void __launch_bounds__(kThreads, std::min(kSmThreads<kFloats> / kThreads, 32))
    softmax_cluster_kernel(const float* x, float* y, std::size_t rows, unsigned cols,
                           unsigned ahead) {
  // A row that starts off 16 bytes has one pack more than its length tells.
  constexpr int kPacks = kFloats / 4 + (kAligned ? 0 : 1);
  constexpr unsigned kBlockCols = kThreads * kFloats;
  __shared__ Part warp_part[kWarpSize];
  __shared__ Part block_part[kMaxClusterBlocks];
  if constexpr (kCluster) join_cluster();
  const unsigned blocks = kCluster ? cluster_blocks() : 1;                 // that share a row
  const unsigned first_thread = kCluster ? cluster_rank() * kThreads : 0;  // of the block, in a row
  const unsigned first_pack = first_thread * kPacks + threadIdx.x;
  const std::size_t row = blockIdx.x / blocks;
  const unsigned shift = kAligned ? 0 : misalignment(x + row * cols);
  const float* const in = x + row * cols - shift;
  float* const out = y + row * cols - shift;
  const Span span = {shift, shift + cols};

  float part[kPacks][4];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) value = -INFINITY;
    load_span<kAligned>(in, span, first_pack + p * kThreads, part[p]);
  }

  // Memory need not be idle while the threads compute: L2 fetches a row for a later block.
  const unsigned first_col = first_thread * kFloats;
  if (threadIdx.x == 0 && row + ahead < rows && first_col < cols) {
    prefetch(x + (row + ahead) * cols + first_col, min(cols - first_col, kBlockCols));
  }

  Part own = {kBelowAll, 0.0f};
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (const float value : part[p]) own.max = fmaxf(own.max, value);
  }
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) {
      value = fast_exp(value - own.max);
      own.sum += value;
    }
  }
  Part all = block_merge(own, warp_part);
  if constexpr (kCluster) {
    tell_cluster(all, block_part);
    const unsigned lane = threadIdx.x % kWarpSize;
    all = group_merge<kWarpSize>(lane < blocks ? block_part[lane] : Part{kBelowAll, 0.0f});
  }

  const float scale = fast_exp(own.max - all.max) / all.sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) value *= scale;
    store_span<kAligned>(out, span, first_pack + p * kThreads, part[p]);
  }
}

// Launches the smallest block that has room for a row, or else the smallest cluster.
template <int kThreads, int kFloats, bool kAligned>
void launch_softmax_cluster(const float* x, float* y, std::size_t rows, std::size_t cols,
                            cudaStream_t stream) {
  static_assert(kThreads % kWarpSize == 0);
  constexpr bool kLargest = kThreads == kMostThreads;
  constexpr bool kLast = kLargest && kFloats == kManyFloats;
  if constexpr (!kLast) {
    if (cols > kThreads * kFloats) {
      return launch_softmax_cluster < kLargest ? kThreads : 2 * kThreads,
             kLargest ? kManyFloats : kFloats, kAligned > (x, y, rows, cols, stream);
    }
  }
  const auto blocks = static_cast<unsigned>((cols + kMaxBlockCols - 1) / kMaxBlockCols);  // a row
  const auto grid = static_cast<unsigned>(rows * blocks);
  const auto n = static_cast<unsigned>(cols);
  const auto ahead =
      static_cast<unsigned>(multiprocessors() * kAheadBytes<kThreads> / (cols * sizeof(float)));
  if constexpr (kLast) {
    if (blocks > 1) {
      return launch_clusters(softmax_cluster_kernel<kThreads, kFloats, kAligned, true>, grid,
                             blocks, kThreads, stream, x, y, rows, n, ahead);
    }
  }
  softmax_cluster_kernel<kThreads, kFloats, kAligned, false>
      <<<grid, kThreads, 0, stream>>>(x, y, rows, n, ahead);
}

// The longest row that blocks of the current device can share.
inline std::size_t max_cluster_cols() {
  const auto kernel = softmax_cluster_kernel<kMostThreads, kManyFloats, true, true>;
  return std::size_t{kMaxBlockCols} * max_cluster_blocks(kernel);
}

inline void softmax_cluster(const float* x, float* y, std::size_t rows, std::size_t cols,
                            cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const bool too_long = cols > max_cluster_cols();
  const bool too_many = rows > INT_MAX / kMaxClusterBlocks;  // blocks for a grid
  if (too_long || too_many || misalignment(x) != misalignment(y)) {
    softmax_block(x, y, rows, cols, stream);
  } else if (rows_are_aligned(x, y, cols)) {
    launch_softmax_cluster<kWarpSize, kFewFloats, true>(x, y, rows, cols, stream);
  } else {
    launch_softmax_cluster<kWarpSize, kFewFloats, false>(x, y, rows, cols, stream);
  }
}
// [softmax_cluster]
