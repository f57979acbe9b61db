// transpose_read_coalesced whose guard has rows and columns swapped.
//
// Right for square matrices. For others it leaves elements out, and lets threads pass that are
// outside the matrix.
//
// Rejected by: memcheck (out_of_bounds) with --rows 70 --cols 60
#pragma once

#include "../kernel.cuh"

namespace swapped_guard {

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
  if (rows == 0 || cols == 0) return;
  const dim3 block(kTile, kTile);
  const unsigned tiles_across = tiles_along(cols, kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_read_coalesced_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace swapped_guard
