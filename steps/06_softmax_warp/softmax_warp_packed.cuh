// Softmax of rows that fit in a warp's registers: x is read once, short rows share a warp.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

#include "reduce.cuh"
#include "rows.cuh"
#include "softmax_online.cuh"

// [softmax_warp_packed]
constexpr int kPackedThreads = 64;
constexpr int kMaxLaneFloats = 32;  // registers a lane, for its part of a row
constexpr int kMaxPackedCols = kWarpSize * kMaxLaneFloats;
static_assert(kPackedThreads % kWarpSize == 0, "shuffles want whole warps");

// Rows that a group of lanes has at a time. With little to load of each it loads two at once.
template <int kFloats>
constexpr int kGroupRows = kFloats <= 4 ? 2 : 1;

// kLanes neighbouring lanes have a row, kFloats of it each, in packs of kPack:
//
//   kLanes = 2, kFloats = 8, kPack = 4     | pack 0 | pack 1 | pack 2 | pack 3 |
//                                     lane     0        1        0        1
//
// Columns past the end of the row count as -infinity, and so do whole rows past the last:
// their lanes stay, because the shuffles want all 32.
template <int kLanes, int kFloats, int kPack>
__global__ void __launch_bounds__(kPackedThreads)
    softmax_warp_packed_kernel(const float* x, float* y, std::size_t rows, unsigned cols) {
  static_assert(kFloats % kPack == 0, "a lane has whole packs");
  constexpr int kPacks = kFloats / kPack;
  constexpr int kGroups = kPackedThreads / kLanes;
  constexpr int kRows = kGroups * kGroupRows<kFloats>;  // that a block has at a time
  const unsigned group = threadIdx.x / kLanes;
  const unsigned group_lane = threadIdx.x % kLanes;
  const std::size_t first_row = std::size_t{blockIdx.x} * kRows;
  for (std::size_t top = first_row; top < rows; top += std::size_t{gridDim.x} * kRows) {
    float part[kGroupRows<kFloats>][kPacks][kPack];
#pragma unroll
    for (int r = 0; r < kGroupRows<kFloats>; ++r) {
      const std::size_t row = top + r * kGroups + group;
      const unsigned packs = row < rows ? cols / kPack : 0;
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        const unsigned i = p * kLanes + group_lane;
        for (float& value : part[r][p]) value = -INFINITY;
        if (i < packs) load_pack(x + row * cols, i, part[r][p]);
      }
    }
#pragma unroll
    for (int r = 0; r < kGroupRows<kFloats>; ++r) {
      const std::size_t row = top + r * kGroups + group;
      const unsigned packs = row < rows ? cols / kPack : 0;
      float max = -INFINITY;
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        for (const float value : part[r][p]) max = fmaxf(max, value);
      }
      max = group_max<kLanes>(max);

      float sum = 0.0f;
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        for (float& value : part[r][p]) {
          value = expf(value - max);
          sum += value;
        }
      }
      sum = group_sum<kLanes>(sum);

      const float scale = 1.0f / sum;
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        const unsigned i = p * kLanes + group_lane;
        for (float& value : part[r][p]) value *= scale;
        if (i < packs) store_pack(y + row * cols, i, part[r][p]);
      }
    }
  }
}

// Launches the first of the shapes kLanes x kFloats that has room for a row: 1 x 4, 2 x 4, 4 x 4,
// 8 x 4 (whose 128-bit accesses make up a line of 128 bytes), 8 x 8, 8 x 16, 16 x 16, 32 x 16,
// 32 x 32.
template <int kLanes, int kFloats, int kPack>
void launch_softmax_warp_packed(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  constexpr bool kLast = kLanes == kWarpSize && kFloats == kMaxLaneFloats;
  if constexpr (!kLast) {
    constexpr bool kMoreLanes = kLanes < 8 || (kLanes < kWarpSize && kFloats >= 16);
    if (cols > kLanes * kFloats) {
      return launch_softmax_warp_packed < kMoreLanes ? 2 * kLanes : kLanes,
             kMoreLanes ? kFloats : 2 * kFloats, kPack > (x, y, rows, cols, stream);
    }
  }
  constexpr int kRows = kPackedThreads / kLanes * kGroupRows<kFloats>;
  const unsigned blocks = grid_size((rows + kRows - 1) / kRows);
  softmax_warp_packed_kernel<kLanes, kFloats, kPack>
      <<<blocks, kPackedThreads, 0, stream>>>(x, y, rows, static_cast<unsigned>(cols));
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
