// Softmax of rows that fit in a warp's registers: x is read once, short rows share a warp.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

#include "exponential.cuh"
#include "reduce.cuh"
#include "rows.cuh"
#include "softmax_online.cuh"

// [softmax_warp_packed]
constexpr int kMaxLaneFloats = 32;  // registers a lane, for its part of a row
constexpr int kMaxPackedCols = kWarpSize * kMaxLaneFloats;

// What a kernel may count on. Launches of short rows take a few microseconds, and the instructions
// that look for the end of a row and of the matrix count.
enum class Ends {
  kGuarded,      // the last pack of a row, and the last row, may be anywhere
  kWhole,        // all packs, groups and blocks are whole
  kWholeAtOnce,  // the same, and all blocks of the launch run at once
};

// A block: groups of kLanes neighbouring lanes, which have kFloats of a row each.
template <int kLanes, int kFloats, Ends kEnds>
struct PackedBlock {
  // Rows of a group, all of which it loads before it waits for the first. kWhole: as many as a lane
  // has registers for, and a block is a single warp, which makes way for the next one as soon as
  // its rows are done. Guards need registers, too; and where all run at once, no block follows.
  static constexpr int kGroupRows =
      kEnds == Ends::kWhole ? kMaxLaneFloats / kFloats : (kFloats <= 8 ? 2 : 1);
  static constexpr int kThreads = kEnds == Ends::kWhole ? kWarpSize : (kFloats <= 4 ? 128 : 64);
  static_assert(kThreads % kWarpSize == 0, "shuffles want whole warps");
  static constexpr int kGroups = kThreads / kLanes;
  static constexpr std::size_t kRows = kGroups * kGroupRows;

  static std::size_t blocks(std::size_t rows) { return (rows + kRows - 1) / kRows; }
  static bool all_at_once(std::size_t rows) {
    return blocks(rows) * kThreads <= resident_threads();
  }
  static bool all_whole(std::size_t rows, std::size_t cols) {
    return rows % kRows == 0 && cols == kLanes * kFloats;
  }
};

// kLanes neighbouring lanes have a row, kFloats of it each, in packs of kPack:
//
//   kLanes = 2, kFloats = 8, kPack = 4     | pack 0 | pack 1 | pack 2 | pack 3 |
//                                     lane     0        1        0        1
//
// Columns past the end of the row count as -infinity, and so do whole rows past the last:
// their lanes stay, because the shuffles want all 32.
template <int kLanes, int kFloats, int kPack, Ends kEnds>
__global__ void __launch_bounds__(PackedBlock<kLanes, kFloats, kEnds>::kThreads)
    softmax_warp_packed_kernel(const float* x, float* y, std::size_t rows, unsigned cols) {
  static_assert(kFloats % kPack == 0, "a lane has whole packs");
  constexpr bool kGuarded = kEnds == Ends::kGuarded;
  constexpr bool kLeaveFirst = kEnds == Ends::kWholeAtOnce;
  using Block = PackedBlock<kLanes, kFloats, kEnds>;
  constexpr int kRows = Block::kGroupRows;
  constexpr int kPacks = kFloats / kPack;
  if constexpr (!kGuarded) cols = kLanes * kFloats;  // shifts instead of products
  const unsigned group = threadIdx.x / kLanes;
  const unsigned group_lane = threadIdx.x % kLanes;
  // Where a block's rows are takes 64 bits, and is the same for all threads. Within them, 32 do.
  const std::size_t first_row = blockIdx.x * Block::kRows;
  const auto rows_left = static_cast<unsigned>(min(rows - first_row, Block::kRows));
  x += first_row * cols;
  y += first_row * cols;

  unsigned start[kRows];  // of a row, from that of the block's first
  unsigned packs[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const unsigned row = r * Block::kGroups + group;
    start[r] = row * cols;
    packs[r] = row < rows_left ? cols / kPack : 0;
  }

  float part[kRows][kPacks][kPack];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const unsigned i = p * kLanes + group_lane;
      for (float& value : part[r][p]) value = -INFINITY;
      if (!kGuarded || i < packs[r]) load_pack<kLeaveFirst>(x + start[r], i, part[r][p]);
    }
  }

  float max[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    max[r] = -INFINITY;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      for (const float value : part[r][p]) max[r] = fmaxf(max[r], value);
    }
  }
  group_max<kLanes>(max);

  float sum[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    sum[r] = 0.0f;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      for (float& value : part[r][p]) {
        // In long rows expf is as fast.
        value = kFloats < 16 ? fast_exp(value - max[r]) : expf(value - max[r]);
        sum[r] += value;
      }
    }
  }
  group_sum<kLanes>(sum);

#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const float scale = fast_reciprocal(sum[r]);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      for (float& value : part[r][p]) value *= scale;
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const unsigned i = p * kLanes + group_lane;
      if (!kGuarded || i < packs[r]) store_pack(y + start[r], i, part[r][p]);
    }
  }
}

template <int kLanes, int kFloats, int kPack, Ends kEnds>
void launch_softmax_warp_packed(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  using Block = PackedBlock<kLanes, kFloats, kEnds>;
  const auto kernel = softmax_warp_packed_kernel<kLanes, kFloats, kPack, kEnds>;
  if constexpr (kFloats == kPack && kEnds != Ends::kWhole) {
    // Nothing is read twice. A launch whose blocks all run at once takes 3 % less time where the SM
    // has as little L1 cache as it can. Where others follow, they would take 4 % more.
    cudaFuncSetAttribute(
        kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
        Block::all_at_once(rows) ? cudaSharedmemCarveoutMaxShared : cudaSharedmemCarveoutDefault);
  }
  kernel<<<static_cast<unsigned>(Block::blocks(rows)), Block::kThreads, 0, stream>>>(
      x, y, rows, static_cast<unsigned>(cols));
}

// Launches the first of the shapes kLanes x kFloats that has room for a row: 1 x 4, 2 x 4, 4 x 4,
// 8 x 4 (whose 128-bit accesses make up a line of 128 bytes), 8 x 8, 16 x 8, 16 x 16, 32 x 16,
// 32 x 32.
template <int kLanes, int kFloats, int kPack>
void launch_first_with_room(const float* x, float* y, std::size_t rows, std::size_t cols,
                            cudaStream_t stream) {
  constexpr bool kLast = kLanes == kWarpSize && kFloats == kMaxLaneFloats;
  if constexpr (!kLast) {
    constexpr bool kMoreLanes = kLanes <= kFloats;
    if (cols > kLanes * kFloats) {
      return launch_first_with_room < kMoreLanes ? 2 * kLanes : kLanes,
             kMoreLanes ? kFloats : 2 * kFloats, kPack > (x, y, rows, cols, stream);
    }
  }
  using AtOnce = PackedBlock<kLanes, kFloats, Ends::kWholeAtOnce>;
  using Whole = PackedBlock<kLanes, kFloats, Ends::kWhole>;
  auto launch = launch_softmax_warp_packed<kLanes, kFloats, kPack, Ends::kGuarded>;
  if constexpr (kPack == 4) {
    if (Whole::all_whole(rows, cols)) {
      launch = launch_softmax_warp_packed<kLanes, kFloats, kPack, Ends::kWhole>;
    }
    if constexpr (kFloats == kPack) {
      if (AtOnce::all_whole(rows, cols) && AtOnce::all_at_once(rows)) {
        launch = launch_softmax_warp_packed<kLanes, kFloats, kPack, Ends::kWholeAtOnce>;
      }
    }
  }
  launch(x, y, rows, cols, stream);
}

inline void softmax_warp_packed(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  if (cols > kMaxPackedCols) {
    softmax_online(x, y, rows, cols, stream);
  } else if (rows_are_aligned(x, y, cols)) {
    launch_first_with_room<1, 4, 4>(x, y, rows, cols, stream);
  } else {
    launch_first_with_room<1, 4, 1>(x, y, rows, cols, stream);
  }
}
// [softmax_warp_packed]
