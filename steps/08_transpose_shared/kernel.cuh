// Transpose through a tile in shared memory: in is (rows, cols), out is (cols, rows), row-major.
//
// A block of kTile x kTile threads moves one tile: it reads the tile row by row, and writes it
// column by column. Global memory is walked along on both sides; the stride is left to shared
// memory, which has banks instead of sectors.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "transpose_by_shape.cuh"
#include "transpose_tile_vectorized.cuh"

constexpr int kTile = 32;  // side of a tile; a warp is one row of a block
static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");

// How many tiles cover `length` elements. The tiles of a matrix are numbered along the grid's x,
// which may have 2^31 - 1 blocks: y and z end at 65535, too soon for a tall matrix. As many tiles
// are 256 GiB even of a matrix of one column, with 32 elements in each.
inline unsigned tiles_along(std::size_t length, int tile) {
  return static_cast<unsigned>((length + tile - 1) / tile);
}

// [transpose_tile]
__global__ void transpose_tile_kernel(const float* in, float* out, std::size_t rows,
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

inline void transpose_tile(const float* in, float* out, std::size_t rows, std::size_t cols,
                           cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 block(kTile, kTile);
  const unsigned tiles_across = tiles_along(cols, kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_tile_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}
// [transpose_tile]

// [transpose_tile_padded]
__global__ void transpose_tile_padded_kernel(const float* in, float* out, std::size_t rows,
                                             std::size_t cols, unsigned tiles_across) {
  __shared__ float tile[kTile][kTile + 1];  // one word of padding a row
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
// [transpose_tile_padded]

// [transpose_tile_swizzled]
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
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][swizzled];
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
// [transpose_tile_swizzled]
