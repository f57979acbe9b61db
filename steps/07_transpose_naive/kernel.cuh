// Transpose, one element a thread: in is (rows, cols), out is (cols, rows), both row-major.
//
// A block of kTile x kTile threads moves one tile. The two kernels differ in which matrix the 32
// lanes of a warp walk along, and so in which side of the copy is coalesced.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 32;  // side of a tile; a warp is one row of a block
static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");

// How many tiles cover `length` elements. The tiles of a matrix are numbered along the grid's x,
// which may have 2^31 - 1 blocks: y and z end at 65535, too soon for a tall matrix. As many tiles
// are 256 GiB even of a matrix of one column, with 32 elements in each.
inline unsigned tiles_along(std::size_t length, int tile) {
  return static_cast<unsigned>((length + tile - 1) / tile);
}

// [transpose_read_coalesced]
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
  if (rows == 0 || cols == 0) return;
  const dim3 block(kTile, kTile);
  const unsigned tiles_across = tiles_along(cols, kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_read_coalesced_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}
// [transpose_read_coalesced]

// [transpose_write_coalesced]
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
  const unsigned tiles_across = tiles_along(cols, kTile);
  const unsigned tiles = tiles_across * tiles_along(rows, kTile);
  transpose_write_coalesced_kernel<<<tiles, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}
// [transpose_write_coalesced]
