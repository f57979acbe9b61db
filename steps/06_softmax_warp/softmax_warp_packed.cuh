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

// Rows that a group of lanes has, and threads that a block has. With little to load of a row, a
// group loads two at once.
template <int kFloats>
constexpr int kGroupRows = kFloats <= 8 ? 2 : 1;
template <int kFloats>
constexpr int kPackedThreads = kFloats <= 4 ? 128 : 64;

// kLanes neighbouring lanes have a row, kFloats of it each, in packs of kPack:
//
//   kLanes = 2, kFloats = 8, kPack = 4     | pack 0 | pack 1 | pack 2 | pack 3 |
//                                     lane     0        1        0        1
//
// Columns past the end of the row count as -infinity, and so do whole rows past the last:
// their lanes stay, because the shuffles want all 32.
//
// kWholeAtOnce: nothing is past an end, and all blocks of the launch run at once. Such a launch
// takes a few microseconds, and its few instructions count.
template <int kLanes, int kFloats, int kPack, bool kWholeAtOnce>
__global__ void __launch_bounds__(kPackedThreads<kFloats>)
    softmax_warp_packed_kernel(const float* x, float* y, std::size_t rows, unsigned cols) {
  static_assert(kFloats % kPack == 0, "a lane has whole packs");
  static_assert(kPackedThreads<kFloats> % kWarpSize == 0, "shuffles want whole warps");
  constexpr int kPacks = kFloats / kPack;
  constexpr int kGroups = kPackedThreads<kFloats> / kLanes;
  constexpr int kRows = kGroupRows<kFloats>;
  constexpr std::size_t kBlockRows = kGroups * kRows;
  if constexpr (kWholeAtOnce) cols = kLanes * kFloats;  // shifts instead of products
  const unsigned group = threadIdx.x / kLanes;
  const unsigned group_lane = threadIdx.x % kLanes;
  // Where a block's rows are takes 64 bits, and is the same for all threads. Within them, 32 do.
  const std::size_t first_row = blockIdx.x * kBlockRows;
  const auto rows_left = static_cast<unsigned>(min(rows - first_row, kBlockRows));
  x += first_row * cols;
  y += first_row * cols;

  unsigned start[kRows];  // of a row, from that of the block's first
  unsigned packs[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const unsigned row = r * kGroups + group;
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
      if (kWholeAtOnce || i < packs[r]) load_pack<kWholeAtOnce>(x + start[r], i, part[r][p]);
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
      if (kWholeAtOnce || i < packs[r]) store_pack(y + start[r], i, part[r][p]);
    }
  }
}

// Launches the first of the shapes kLanes x kFloats that has room for a row: 1 x 4, 2 x 4, 4 x 4,
// 8 x 4 (whose 128-bit accesses make up a line of 128 bytes), 8 x 8, 16 x 8, 16 x 16, 32 x 16,
// 32 x 32.
template <int kLanes, int kFloats, int kPack>
void launch_softmax_warp_packed(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  constexpr bool kLast = kLanes == kWarpSize && kFloats == kMaxLaneFloats;
  if constexpr (!kLast) {
    constexpr bool kMoreLanes = kLanes <= kFloats;
    if (cols > kLanes * kFloats) {
      return launch_softmax_warp_packed < kMoreLanes ? 2 * kLanes : kLanes,
             kMoreLanes ? kFloats : 2 * kFloats, kPack > (x, y, rows, cols, stream);
    }
  }
  constexpr std::size_t kRows = kPackedThreads<kFloats> / kLanes * kGroupRows<kFloats>;
  const auto blocks = static_cast<unsigned>((rows + kRows - 1) / kRows);
  auto kernel = softmax_warp_packed_kernel<kLanes, kFloats, kPack, false>;
  if constexpr (kPack == 4 && kFloats == kPack) {
    const bool whole = cols == kLanes * kFloats && rows % kRows == 0;
    const bool at_once = std::size_t{blocks} * kPackedThreads<kFloats> <= resident_threads();
    if (whole && at_once) kernel = softmax_warp_packed_kernel<kLanes, kFloats, kPack, true>;
    // Nothing is read twice. A launch whose blocks all run at once takes 3 % less time where the SM
    // has as little L1 cache as it can. Where others follow, they would take 2 % more.
    cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                         at_once ? cudaSharedmemCarveoutMaxShared : cudaSharedmemCarveoutDefault);
  }
  kernel<<<blocks, kPackedThreads<kFloats>, 0, stream>>>(x, y, rows, static_cast<unsigned>(cols));
}

inline void softmax_warp_packed(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  if (cols > kMaxPackedCols) {
    softmax_online(x, y, rows, cols, stream);
  } else if (rows_are_aligned(x, y, cols)) {
    launch_softmax_warp_packed<1, 4, 4>(x, y, rows, cols, stream);
  } else {
    launch_softmax_warp_packed<1, 4, 1>(x, y, rows, cols, stream);
  }
}
// [softmax_warp_packed]
