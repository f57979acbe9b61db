// transpose_read_coalesced that takes the rows of the output to be as long as those of the input.
//
// A row of the output has `rows` elements. For a wide matrix the last rows land far outside; for a
// tall one, rows overwrite each other. Right for square matrices.
//
// Rejected by: memcheck (out_of_bounds) with --rows 60 --cols 70
#pragma once

#include "../kernel.cuh"

namespace wrong_pitch {

__global__ void transpose_read_coalesced_kernel(const float* in, float* out, std::size_t rows,
                                                std::size_t cols, unsigned tiles_across) {
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;

  const std::size_t row = first_row + threadIdx.y;
  const std::size_t col = first_col + threadIdx.x;
  if (row < rows && col < cols) out[col * cols + row] = in[row * cols + col];
}

inline void transpose_read_coalesced(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 block(kTile, kTile);
  const unsigned tiles_across = tiles_along(cols, kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_read_coalesced_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace wrong_pitch
