// softmax_warp_groups that takes the rows past the last for rows, too.
//
// A block has room for more rows than are left, and its lanes read and write behind the matrices.
//
// Rejected by: memcheck (out_of_bounds) with --rows 9 --cols 20
#pragma once

#include "../6_softmax_warp_groups.cuh"

namespace rows_past_the_last {

// kLanes neighboring lanes have a row, kFloats of it each, in packs of kPack:
//
//   kLanes = 2, kFloats = 8, kPack = 4     | pack 0 | pack 1 | pack 2 | pack 3 |
//                                     lane     0        1        0        1
//
// Columns past its end count as -infinity: exp(-infinity) = 0. So do whole rows past the last:
// their lanes stay, because the shuffles need all 32.
template <int kLanes, int kFloats, int kPack>
__global__ void softmax_warp_groups_kernel(const float* x, float* y, std::size_t rows,
                                           unsigned cols) {
  const unsigned lane = threadIdx.x % kLanes;
  const std::size_t row = (std::size_t{blockIdx.x} * kBlockSize + threadIdx.x) / kLanes;
  const unsigned packs = rows > 0 ? cols / kPack : 0;
  const float* const in = x + row * cols;
  float* const out = y + row * cols;

  float part[kFloats];
  float max = -INFINITY;
#pragma unroll
  for (int i = 0; i < kFloats; i += kPack) {
    const unsigned pack = i / kPack * kLanes + lane;
    for (int k = i; k < i + kPack; ++k) part[k] = -INFINITY;
    if (pack < packs) load_pack<kPack>(in, pack, &part[i]);
    for (int k = i; k < i + kPack; ++k) max = fmaxf(max, part[k]);
  }
  max = group_max<kLanes>(max);

  float sum = 0.0f;
#pragma unroll
  for (float& value : part) sum += value = expf(value - max);
  sum = group_sum<kLanes>(sum);

  const float scale = 1.0f / sum;
#pragma unroll
  for (int i = 0; i < kFloats; i += kPack) {
    const unsigned pack = i / kPack * kLanes + lane;
    for (int k = i; k < i + kPack; ++k) part[k] *= scale;
    if (pack < packs) store_pack<kPack>(out, pack, &part[i]);
  }
}

// Takes the first of the shapes kLanes x kFloats that has room for a row: 1 x 4, 2 x 4, 4 x 4, 8 x
// 4 (whose 128-bit accesses make up a line of 128 bytes), 8 x 8, 16 x 8, 16 x 16, 32 x 16, 32 x 32.
template <int kLanes, int kFloats, int kPack>
void launch_softmax_warp_groups(const float* x, float* y, std::size_t rows, unsigned cols,
                                cudaStream_t stream) {
  if (kFloats < 32 && cols > kLanes * kFloats) {
    constexpr int kMoreLanes = kLanes <= kFloats && kLanes < kWarpSize ? 2 : 1;
    constexpr int kMoreFloats = kMoreLanes == 1 && kFloats < 32 ? 2 : 1;
    return rows_past_the_last::launch_softmax_warp_groups<kMoreLanes * kLanes,
                                                          kMoreFloats * kFloats, kPack>(
        x, y, rows, cols, stream);
  }
  constexpr std::size_t kRows = kBlockSize / kLanes;
  const auto blocks = static_cast<unsigned>((rows + kRows - 1) / kRows);
  const auto kernel = softmax_warp_groups_kernel<kLanes, kFloats, kPack>;
  kernel<<<blocks, kBlockSize, 0, stream>>>(x, y, rows, cols);
}

inline void softmax_warp_groups(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  if (cols > 32 * kWarpSize) return softmax_warp_shuffle(x, y, rows, cols, stream);
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto launch =
      aligned ? launch_softmax_warp_groups<1, 4, 4> : launch_softmax_warp_groups<1, 4, 1>;
  launch(x, y, rows, static_cast<unsigned>(cols), stream);
}

}  // namespace rows_past_the_last
