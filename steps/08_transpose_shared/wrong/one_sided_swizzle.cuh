// transpose_tile_swizzled that swizzles on the way in but not on the way out.
//
// Every access is legal and free of conflicts. The elements of each row of the tile come out in
// another order.
//
// Rejected by: result with --rows 64 --cols 96
#pragma once

#include "../kernel.cuh"

namespace one_sided_swizzle {

// Element (y, x) of the tile lives in column x ^ y: inside a row that is a permutation, and down a
// column it visits every bank once.
__global__ void transpose_tile_swizzled_kernel(const float* in, float* out, std::size_t rows,
                                               std::size_t cols, unsigned tiles_across) {
  static_assert((kTile & (kTile - 1)) == 0, "x ^ y stays inside a row of 2^k elements");
  __shared__ float tile[kTile][kTile];
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;
  const unsigned swizzled = threadIdx.x ^ threadIdx.y;

  {
    const std::size_t row = first_row + threadIdx.y;
    const std::size_t col = first_col + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.y][swizzled] = in[row * cols + col];
  }
  __syncthreads();
  {
    const std::size_t row = first_row + threadIdx.x;
    const std::size_t col = first_col + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
  }
}

inline void transpose_tile_swizzled(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 block(kTile, kTile);
  const unsigned tiles_across = tiles_along(cols, kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_tile_swizzled_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace one_sided_swizzle
