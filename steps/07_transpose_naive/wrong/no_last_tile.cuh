// transpose_write_coalesced with too few tiles across: their number is rounded down.
//
// The columns behind the last whole tile are never moved. The output keeps whatever was there,
// which after a right kernel is the right answer.
//
// Rejected by: result with --rows 131 --cols 77
#pragma once

#include "../kernel.cuh"

namespace no_last_tile {

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
  if (rows == 0 || cols == 0) return;
  const dim3 block(kTile, kTile);
  const unsigned tiles_across = static_cast<unsigned>(cols / kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_write_coalesced_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace no_last_tile
