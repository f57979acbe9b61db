// transpose_read_coalesced whose guard has rows and columns swapped.
//
// Right for square matrices. For others it leaves elements out, and lets threads pass that are
// outside the matrix.
//
// Rejected by: memcheck (out_of_bounds) with --rows 70 --cols 60
#pragma once

#include "../1_transpose_read_coalesced.cuh"

namespace swapped_guard {

template <int kTile>  // side of a block's tile, and the size of a warp
__global__ void transpose_read_coalesced_kernel(const float* in, float* out, std::size_t rows,
                                                std::size_t cols, unsigned tiles_across) {
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;

  const std::size_t row = first_row + threadIdx.y;
  const std::size_t col = first_col + threadIdx.x;
  if (row < cols && col < rows) out[col * rows + row] = in[row * cols + col];
}

inline void transpose_read_coalesced(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, cudaStream_t stream) {
  constexpr int kTile = 32;
  static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const dim3 block(kTile, kTile);
  const auto kernel = transpose_read_coalesced_kernel<kTile>;
  kernel<<<tiles_across * tiles_down, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace swapped_guard
