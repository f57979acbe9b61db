// Softmax of every row of a matrix: short rows share a warp, and wait in registers: x is read once.
// If all rows and blocks are whole, no lane looks for an end.
#pragma once

#include "3_softmax_warp_shuffle.cuh"  // for rows of more than 32 floats per lane
#include "grouped_rows.cuh"
#include "lane_part.cuh"

// kLanes neighboring lanes have a row, kFloats of it each, in packs of kPack:
//
//   kLanes = 2, kFloats = 8, kPack = 4     | pack 0 | pack 1 | pack 2 | pack 3 |
//                                     lane     0        1        0        1
//
// Columns past its end count as -infinity: exp(-infinity) = 0. So do whole rows past the last:
// their lanes stay, because the shuffles need all 32.
template <int kLanes, int kFloats, int kPack, int kThreads, int kGroupRows, bool kWhole>
__global__ void __launch_bounds__(kThreads)
    softmax_warp_whole_kernel(const float* x, float* y, std::size_t rows, unsigned cols) {
  if constexpr (kWhole) cols = kLanes * kFloats;  // shifts instead of products
  // The address of a block's rows takes 64 bits, once for all threads. Within them, 32 bits do.
  constexpr std::size_t kRows = kThreads / kLanes * kGroupRows;
  const std::size_t first_row = blockIdx.x * kRows;
  const auto rows_left = static_cast<unsigned>(min(rows - first_row, kRows));
  const float* const in = x + first_row * cols;
  float* const out = y + first_row * cols;

  float part[kGroupRows][kFloats];
  unsigned start[kGroupRows], packs[kGroupRows];
#pragma unroll
  for (int r = 0; r < kGroupRows; ++r) {
    const unsigned row = r * (kThreads / kLanes) + threadIdx.x / kLanes;
    start[r] = row * cols;
    packs[r] = kWhole || row < rows_left ? cols / kPack : 0;
    load_part<kLanes, kPack>(in + start[r], packs[r], part[r]);
  }

  float max[kGroupRows], sum[kGroupRows];
  max_of_rows<kLanes>(part, max);
  sum_of_rows<kLanes>(part, max, sum);

#pragma unroll
  for (int r = 0; r < kGroupRows; ++r) {
    const float scale = approximate_reciprocal(sum[r]);
#pragma unroll
    for (float& value : part[r]) value *= scale;
    store_part<kLanes, kPack>(out + start[r], packs[r], part[r]);
  }
}

// Takes the first of the shapes kLanes x kFloats that has room for a row: 1 x 4, 2 x 4, 4 x 4, 8 x
// 4 (whose 128-bit accesses make up a line of 128 bytes), 8 x 8, 16 x 8, 16 x 16, 32 x 16, 32 x 32.
template <int kLanes, int kFloats, int kPack>
void launch_softmax_warp_whole(const float* x, float* y, std::size_t rows, unsigned cols,
                               cudaStream_t stream) {
  if (kFloats < 32 && cols > kLanes * kFloats) {
    constexpr int kMoreLanes = kLanes <= kFloats && kLanes < kWarpSize ? 2 : 1;
    constexpr int kMoreFloats = kMoreLanes == 1 && kFloats < 32 ? 2 : 1;
    return launch_softmax_warp_whole<kMoreLanes * kLanes, kMoreFloats * kFloats, kPack>(
        x, y, rows, cols, stream);
  }
  constexpr int kThreads = kFloats <= 4 ? 128 : 64;
  constexpr int kGroupRows = kFloats <= 8 ? 2 : 1;  // more need more registers
  constexpr std::size_t kRows = kThreads / kLanes * kGroupRows;
  const auto blocks = static_cast<unsigned>((rows + kRows - 1) / kRows);
  auto kernel = softmax_warp_whole_kernel<kLanes, kFloats, kPack, kThreads, kGroupRows, false>;
  if constexpr (kPack == 4) {
    // If nothing is cut short, a group has as many rows as a lane has registers for, and a block
    // is one warp, which makes way for the next one as soon as its rows are done.
    constexpr std::size_t kWholeRows = kWarpSize / kLanes * (32 / kFloats);
    if (cols == kLanes * kFloats && rows % kWholeRows == 0) {
      kernel = softmax_warp_whole_kernel<kLanes, kFloats, kPack, kWarpSize, 32 / kFloats, true>;
      const auto whole_blocks = static_cast<unsigned>(rows / kWholeRows);
      kernel<<<whole_blocks, kWarpSize, 0, stream>>>(x, y, rows, cols);
      return;
    }
  }
  kernel<<<blocks, kThreads, 0, stream>>>(x, y, rows, cols);
}

inline void softmax_warp_whole(const float* x, float* y, std::size_t rows, std::size_t cols,
                               cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  if (cols > 32 * kWarpSize) return softmax_warp_shuffle(x, y, rows, cols, stream);
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto launch =
      aligned ? launch_softmax_warp_whole<1, 4, 4> : launch_softmax_warp_whole<1, 4, 1>;
  launch(x, y, rows, static_cast<unsigned>(cols), stream);
}
