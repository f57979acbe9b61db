// Softmax of every row of a matrix, for short rows: several share a warp, and x is read once.
// Longer rows than a warp's registers hold go to the rung for rows of any length.
#pragma once

#include "17_softmax_online.cuh"
#include "further/1_softmax_warp_at_once.cuh"

constexpr std::size_t kMaxPackedCols = 32 * kWarpSize;

inline void softmax_warp_packed(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  const auto launch = cols <= kMaxPackedCols ? softmax_warp_at_once : softmax_online;
  launch(x, y, rows, cols, stream);
}
