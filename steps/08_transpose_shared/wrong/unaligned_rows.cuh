// transpose_tile_vectorized that looks at where the matrix starts, and not at how long its rows
// are.
//
// If rows are no multiple of four long, most of them start between two packs. The index of a pack
// is rounded down, so that accesses stay aligned, and take the wrong four elements.
//
// Rejected by: result with --rows 132 --cols 77
#pragma once

#include "../kernel.cuh"

namespace unaligned_rows {

template <int kReadPack, int kWritePack>
__global__ void __launch_bounds__(kWideThreads)
    transpose_tile_vectorized_kernel(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, unsigned tiles_across) {
  using Read = TileWalk<kReadPack>;
  using Write = TileWalk<kWritePack>;
  __shared__ float tile[kWideTile][kWideTile];  // element (y, x) is in column x ^ y % 32
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kWideTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kWideTile;

  // All loads first, so that they are in flight together. A side has packs of 4 only where its
  // rows are a multiple of 4 long: a pack is inside the matrix or outside, never across the edge.
  float packs[Read::kSteps][kReadPack] = {};
#pragma unroll
  for (int step = 0; step < Read::kSteps; ++step) {
    const std::size_t row = first_row + Read::row(step);
    const std::size_t col = first_col + Read::col(step);
    if (row < rows && col < cols) load_pack(in, (row * cols + col) / kReadPack, packs[step]);
  }
#pragma unroll
  for (int step = 0; step < Read::kSteps; ++step) {
    const int y = Read::row(step);
#pragma unroll
    for (int i = 0; i < kReadPack; ++i) {
      tile[y][(Read::col(step) + i) ^ (y % 32)] = packs[step][i];
    }
  }
  __syncthreads();

  // Rows of the output are columns of the tile.
#pragma unroll
  for (int step = 0; step < Write::kSteps; ++step) {
    const int x = Write::row(step);
    float pack[kWritePack];
#pragma unroll
    for (int i = 0; i < kWritePack; ++i) {
      const int y = Write::col(step) + i;
      pack[i] = tile[y][x ^ (y % 32)];
    }
    const std::size_t row = first_row + Write::col(step);
    const std::size_t col = first_col + Write::row(step);
    if (row < rows && col < cols) store_pack(out, (col * rows + row) / kWritePack, pack);
  }
}

inline bool rows_are_aligned(const float* matrix, std::size_t) {
  return reinterpret_cast<std::uintptr_t>(matrix) % sizeof(float4) == 0;
}

inline void transpose_tile_vectorized(const float* in, float* out, std::size_t rows,
                                      std::size_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned tiles_across = static_cast<unsigned>((cols + kWideTile - 1) / kWideTile);
  const unsigned tiles_down = static_cast<unsigned>((rows + kWideTile - 1) / kWideTile);
  const unsigned tiles = tiles_across * tiles_down;
  const bool read_packs = rows_are_aligned(in, cols);
  const bool write_packs = rows_are_aligned(out, rows);
  const auto kernel = read_packs ? (write_packs ? transpose_tile_vectorized_kernel<4, 4>
                                                : transpose_tile_vectorized_kernel<4, 1>)
                                 : (write_packs ? transpose_tile_vectorized_kernel<1, 4>
                                                : transpose_tile_vectorized_kernel<1, 1>);
  kernel<<<tiles, kWideThreads, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace unaligned_rows
