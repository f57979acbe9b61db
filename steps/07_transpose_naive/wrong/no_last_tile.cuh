// transpose_write_coalesced with too few tiles across: their number is rounded down.
//
// The columns behind the last whole tile are never moved. The output keeps whatever was there,
// which after a right kernel is the right answer.
//
// Rejected by: result with --rows 131 --cols 77
#pragma once

#include "../2_transpose_write_coalesced.cuh"

namespace no_last_tile {

template <int kTile>  // side of a block's tile, and the size of a warp
__global__ void transpose_write_coalesced_kernel(const float* in, float* out, std::size_t rows,
                                                 std::size_t cols, unsigned tiles_across) {
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;

  const std::size_t row = first_row + threadIdx.x;
  const std::size_t col = first_col + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = __ldg(&in[row * cols + col]);
}

inline void transpose_write_coalesced(const float* in, float* out, std::size_t rows,
                                      std::size_t cols, cudaStream_t stream) {
  constexpr int kTile = 32;
  static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>(cols / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const dim3 block(kTile, kTile);
  const auto kernel = transpose_write_coalesced_kernel<kTile>;
  kernel<<<tiles_across * tiles_down, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace no_last_tile
