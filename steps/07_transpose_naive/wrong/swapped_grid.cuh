// transpose_read_coalesced with a grid that has rows and columns swapped.
//
// There are as many tiles, but not where the matrix is: some are outside, where the guard stops
// them, and others are never visited. Right for square matrices.
//
// Rejected by: result with --rows 131 --cols 77
#pragma once

#include "../1_transpose_read_coalesced.cuh"

namespace swapped_grid {

template <int kTile>  // side of a block's tile, and the size of a warp
__global__ void transpose_read_coalesced_kernel(const float* in, float* out, std::size_t rows,
                                                std::size_t cols, unsigned tiles_across) {
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;

  const std::size_t row = first_row + threadIdx.y;
  const std::size_t col = first_col + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

inline void transpose_read_coalesced(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, cudaStream_t stream) {
  constexpr int kTile = 32;
  static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const dim3 block(kTile, kTile);
  const auto kernel = transpose_read_coalesced_kernel<kTile>;
  kernel<<<tiles_across * tiles_down, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace swapped_grid
