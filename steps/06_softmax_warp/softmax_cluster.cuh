// Softmax of rows that fit in the registers of a block, or of a cluster of blocks: x is read once.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <type_traits>

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

// As block_merge, over a cluster: every warp tells every block.
__device__ inline Part cluster_merge(Part part, Told<Part>& told) {
  tell_cluster(group_merge<kWarpSize>(part), told);
  const unsigned warp = threadIdx.x % kWarpSize;  // whose values this lane takes
  Part all = {kBelowAll, 0.0f};
  if (warp < blockDim.x / kWarpSize) {
    for (unsigned block = 0; block < cluster_blocks(); ++block) {
      all = merge(all, told.value[block][warp]);
    }
  }
  return group_merge<kWarpSize>(all);
}

// A block has a row; in clusters, a part of one:
//
//   cols = 40000, kThreads = 512      |  16384  |  16384  |  7232   |
//                             block        0         1         2
//
// Each thread takes the exponentials with its own maximum, and makes up for that in the last
// factor. So maxima and sums are put together at the same time, and waited for once.
template <int kThreads, int kFloats, bool kAligned, bool kCluster>
__global__ void __launch_bounds__(kThreads, std::min(kSmThreads<kFloats> / kThreads, 32))
    softmax_cluster_kernel(const float* x, float* y, std::size_t rows, unsigned cols,
                           unsigned ahead) {
  // A row that starts off 16 bytes has one pack more than its length tells.
  constexpr int kPacks = kFloats / 4 + (kAligned ? 0 : 1);
  constexpr unsigned kBlockCols = kThreads * kFloats;
  __shared__ std::conditional_t<kCluster, Told<Part>, Part[kWarpSize]> parts;  // of warps
  if constexpr (kCluster) join_cluster(parts);
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
  Part all;
  if constexpr (kCluster) {
    all = cluster_merge(own, parts);
  } else {
    all = block_merge(own, parts);
  }

  const float scale = fast_exp(own.max - all.max) / all.sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) value *= scale;
    store_span<kAligned>(out, span, first_pack + p * kThreads, part[p]);
  }
}

// How many rows ahead of a block's own its prefetch is.
template <int kThreads>
unsigned rows_ahead(std::size_t cols) {
  return static_cast<unsigned>(multiprocessors() * kAheadBytes<kThreads> / (cols * sizeof(float)));
}

// A row for a cluster. An SM has two blocks of 512 threads, mostly of different rows: while one
// waits for its cluster, the other one reads or writes. The longest rows need all threads.
template <int kThreads, bool kAligned>
void launch_softmax_clusters(const float* x, float* y, std::size_t rows, std::size_t cols,
                             cudaStream_t stream) {
  constexpr std::size_t kBlockCols = kThreads * kManyFloats;
  const auto blocks = static_cast<unsigned>((cols + kBlockCols - 1) / kBlockCols);  // a row
  if constexpr (kThreads < kMostThreads) {
    if (blocks > kMaxClusterBlocks) {
      return launch_softmax_clusters<kMostThreads, kAligned>(x, y, rows, cols, stream);
    }
  }
  launch_clusters(softmax_cluster_kernel<kThreads, kManyFloats, kAligned, true>,
                  static_cast<unsigned>(rows * blocks), blocks, kThreads, stream, x, y, rows,
                  static_cast<unsigned>(cols), rows_ahead<kThreads>(cols));
}

// Launches the smallest block that has room for a row, or else the smallest cluster.
template <int kThreads, int kFloats, bool kAligned>
void launch_softmax_cluster(const float* x, float* y, std::size_t rows, std::size_t cols,
                            cudaStream_t stream) {
  static_assert(kThreads % kWarpSize == 0);
  constexpr bool kLargest = kThreads == kMostThreads;
  constexpr bool kLast = kLargest && kFloats == kManyFloats;
  if (cols <= kThreads * kFloats) {
    softmax_cluster_kernel<kThreads, kFloats, kAligned, false>
        <<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(
            x, y, rows, static_cast<unsigned>(cols), rows_ahead<kThreads>(cols));
  } else if constexpr (!kLast) {
    launch_softmax_cluster<kLargest ? kThreads : 2 * kThreads, kLargest ? kManyFloats : kFloats,
                           kAligned>(x, y, rows, cols, stream);
  } else {
    launch_softmax_clusters<kMostThreads / 2, kAligned>(x, y, rows, cols, stream);
  }
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
