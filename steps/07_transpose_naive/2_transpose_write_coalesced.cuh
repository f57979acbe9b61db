// Transpose, one element per thread: in is (rows, cols), out is (cols, rows), both row-major.
// The lanes of a warp read down a column of the input, and write along a row of the output.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

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
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const dim3 block(kTile, kTile);
  const auto kernel = transpose_write_coalesced_kernel<kTile>;
  kernel<<<tiles_across * tiles_down, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}
