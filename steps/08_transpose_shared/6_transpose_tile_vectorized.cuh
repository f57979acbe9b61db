// Transpose through a swizzled tile, 16 elements per thread, read in packs of four if the rows
// of the input allow them, and written so where the rows of the output do.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "packs.cuh"

template <int kTile, int kBlockSize, int kReadPack, int kWritePack>  // floats per access
__global__ void __launch_bounds__(kBlockSize)
    transpose_tile_vectorized_kernel(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, unsigned tiles_across) {
  constexpr int kWarpSize = 32;
  constexpr int kDown = kBlockSize / kTile;  // rows that a block reads at a time
  static_assert(kTile % kWarpSize == 0 && kTile % kDown == 0, "warps share rows, threads the tile");
  __shared__ float tile[kTile][kTile];  // word (y, x) is in column x ^ y % kWarpSize
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;
  const unsigned across = threadIdx.x % kTile;
  const unsigned down = threadIdx.x / kTile;
  const int lane = across % kWarpSize;
  // A warp reads kReadPack rows x 32 columns at a time: no bank conflict when it stores them.
  const int read_y = down * kReadPack + lane / (kWarpSize / kReadPack);
  const int read_x = across - lane + lane % (kWarpSize / kReadPack) * kReadPack;

  Pack<kReadPack> packs[kTile / kDown / kReadPack] = {};  // all on their way
#pragma unroll
  for (int i = 0; i < kTile / kDown / kReadPack; ++i) {
    const std::size_t row = first_row + read_y + i * kDown * kReadPack;
    const std::size_t col = first_col + read_x;
    const auto in_packs = reinterpret_cast<const Pack<kReadPack>*>(in);
    // A pack is inside the matrix or outside, never across its edge.
    if (row < rows && col < cols) packs[i] = in_packs[(row * cols + col) / kReadPack];
  }
#pragma unroll
  for (int i = 0; i < kTile / kDown / kReadPack; ++i) {
    const int y = read_y + i * kDown * kReadPack;
    const auto words = reinterpret_cast<const float*>(&packs[i]);
#pragma unroll
    for (int j = 0; j < kReadPack; ++j) tile[y][(read_x + j) ^ (y % kWarpSize)] = words[j];
  }
  __syncthreads();
  const unsigned write_x = down * kWritePack + lane / (kWarpSize / kWritePack);
  const unsigned write_y = across - lane + lane % (kWarpSize / kWritePack) * kWritePack;
#pragma unroll
  for (int i = 0; i < kTile / kDown / kWritePack; ++i) {
    const int x = write_x + i * kDown * kWritePack;
    const std::size_t row = first_row + write_y;
    const std::size_t col = first_col + x;
    alignas(Pack<kWritePack>) float words[kWritePack];
#pragma unroll
    for (int j = 0; j < kWritePack; ++j)
      words[j] = tile[write_y + j][x ^ ((write_y + j) % kWarpSize)];
    const auto out_packs = reinterpret_cast<Pack<kWritePack>*>(out);
    if (row < rows && col < cols) {
      out_packs[(col * rows + row) / kWritePack] = reinterpret_cast<const Pack<kWritePack>&>(words);
    }
  }
}

inline void transpose_tile_vectorized(const float* in, float* out, std::size_t rows,
                                      std::size_t cols, cudaStream_t stream) {
  constexpr int kTile = 64;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const bool read_packs = rows_are_aligned(in, cols);
  const bool write_packs = rows_are_aligned(out, rows);
  auto kernel = transpose_tile_vectorized_kernel<kTile, kBlockSize, 1, 1>;
  if (read_packs) kernel = transpose_tile_vectorized_kernel<kTile, kBlockSize, 4, 1>;
  if (write_packs) kernel = transpose_tile_vectorized_kernel<kTile, kBlockSize, 1, 4>;
  if (read_packs && write_packs) kernel = transpose_tile_vectorized_kernel<kTile, kBlockSize, 4, 4>;
  kernel<<<tiles_across * tiles_down, kBlockSize, 0, stream>>>(in, out, rows, cols, tiles_across);
}
