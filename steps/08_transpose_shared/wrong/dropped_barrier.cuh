// transpose_tile without the barrier between filling the tile and emptying it.
//
// A thread writes out what another thread has read in. Without a barrier it may be there first, and
// takes what an earlier block has left in the tile.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race) with --rows 64 --cols 96
#pragma once

#include "../1_transpose_tile.cuh"

namespace dropped_barrier {

template <int kTile>  // side of a block's tile, and the size of a warp
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
  {
    const std::size_t row = first_row + threadIdx.x;
    const std::size_t col = first_col + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
  }
}

inline void transpose_tile(const float* in, float* out, std::size_t rows, std::size_t cols,
                           cudaStream_t stream) {
  constexpr int kTile = 32;
  static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const dim3 block(kTile, kTile);
  const auto kernel = transpose_tile_kernel<kTile>;
  kernel<<<tiles_across * tiles_down, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace dropped_barrier
