// Transpose: in is (rows, cols), out is (cols, rows), both row-major. Each thread moves four
// elements of a column: a quarter of the threads, and four elements share the index arithmetic.
#pragma once

#include "../1_transpose_read_coalesced.cuh"

namespace find_me {

template <int kTile>  // side of a block's tile, and the size of a warp
__global__ void transpose_read_coalesced_kernel(const float* in, float* out, std::size_t rows,
                                                std::size_t cols, unsigned tiles_across) {
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;

  const std::size_t row = first_row + threadIdx.y;
  const std::size_t col = first_col + threadIdx.x;
  if (row >= rows || col >= cols) return;
  for (std::size_t down = 0; down < kTile; down += blockDim.y) {
    out[col * rows + row + down] = in[(row + down) * cols + col];
  }
}

inline void transpose_read_coalesced(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, cudaStream_t stream) {
  constexpr int kTile = 32;
  static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const dim3 block(kTile, kTile / 4);
  const auto kernel = transpose_read_coalesced_kernel<kTile>;
  kernel<<<tiles_across * tiles_down, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace find_me
