// transpose_tile_padded without the padding.
//
// The result is right. But the 32 elements of a column are in one bank again, and each load of a
// warp takes 32 wavefronts instead of one.
//
// Rejected by: counters (shared_load.conflicts) with --rows 64 --cols 96
#pragma once

#include "../kernel.cuh"

namespace no_padding {

__global__ void transpose_tile_padded_kernel(const float* in, float* out, std::size_t rows,
                                             std::size_t cols, unsigned tiles_across) {
  __shared__ float tile[kTile][kTile];
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;

  {
    const std::size_t row = first_row + threadIdx.y;
    const std::size_t col = first_col + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  {
    const std::size_t row = first_row + threadIdx.x;
    const std::size_t col = first_col + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
  }
}

inline void transpose_tile_padded(const float* in, float* out, std::size_t rows, std::size_t cols,
                                  cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 block(kTile, kTile);
  const unsigned tiles_across = tiles_along(cols, kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_tile_padded_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace no_padding
