// transpose_tile whose threads outside the matrix return at once, as in step 07.
//
// A thread moves one element in and another one out. Those that have nothing to bring in are
// missing where something is to be brought out, at the edge of a matrix that is not square.
//
// Rejected by: result with --rows 40 --cols 96
#pragma once

#include "../kernel.cuh"

namespace early_return {

__global__ void transpose_tile_kernel(const float* in, float* out, std::size_t rows,
                                      std::size_t cols, unsigned tiles_across) {
  __shared__ float tile[kTile][kTile];
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;

  {
    const std::size_t row = first_row + threadIdx.y;
    const std::size_t col = first_col + threadIdx.x;
    if (row >= rows || col >= cols) return;
    tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  {
    const std::size_t row = first_row + threadIdx.x;
    const std::size_t col = first_col + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
  }
}

inline void transpose_tile(const float* in, float* out, std::size_t rows, std::size_t cols,
                           cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 block(kTile, kTile);
  const unsigned tiles_across = tiles_along(cols, kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_tile_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace early_return
