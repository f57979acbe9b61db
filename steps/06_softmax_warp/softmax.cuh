// Softmax of every row of a matrix, by the rung for its shape: short rows share a warp, longer ones
// have a block or a cluster of blocks each, and many blocks share a row that is too long for that.
#pragma once

#include "../instructions/device_attributes.cuh"
#include "19_softmax_block.cuh"
#include "24_softmax_two_kernels.cuh"
#include "further/1_softmax_warp_at_once.cuh"
#include "further/5_softmax_cluster.cuh"

constexpr std::size_t kShortRow = 512;            // columns: a group of lanes has the row
constexpr std::size_t kMaxBlockCols = 32 * 1024;  // that the registers of one block hold

// The longest row that blocks of the current device can share.
inline std::size_t max_cluster_cols() {
  const int blocks = max_cluster_blocks(softmax_cluster_kernel<1024, 32, true, true>);
  return static_cast<std::size_t>(blocks) * kMaxBlockCols;
}

inline void softmax(const float* x, float* y, std::size_t rows, std::size_t cols,
                    cudaStream_t stream) {
  if (cols <= kShortRow) return softmax_warp_at_once(x, y, rows, cols, stream);
  const bool for_one_grid = rows <= INT_MAX / kMaxClusterBlocks;
  const bool too_long = cols > kMaxBlockCols && cols > max_cluster_cols();
  if (too_long && !row_fits_a_block(cols)) {
    softmax_two_kernels(x, y, rows, cols, stream);
  } else if (too_long || !for_one_grid || misalignment(x) != misalignment(y)) {
    softmax_block(x, y, rows, cols, stream);
  } else {
    softmax_cluster(x, y, rows, cols, stream);
  }
}
