// Transpose of a matrix with few columns: each warp moves a padded tile of 32 x 32 by itself, in
// packs of four where rows allow them. It waits for no other warp: no `__syncthreads()`.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "packs.cuh"

template <int kTile, int kBlockSize, int kReadPack, int kWritePack>  // floats per access
__global__ void __launch_bounds__(kBlockSize)
    transpose_thin_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                          unsigned tiles_across, unsigned tiles_down) {
  constexpr int kWarpSize = 32;
  constexpr int kDown = kWarpSize / kTile;  // rows that a warp reads at a time
  constexpr int kWarps = kBlockSize / kWarpSize;
  __shared__ float tiles[kWarps][kTile][kTile + 1];  // one word of padding per row
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  float(&tile)[kTile][kTile + 1] = tiles[warp];
  const unsigned index = blockIdx.x * kWarps + warp;
  if (index >= tiles_across * tiles_down) return;  // the whole warp
  const std::size_t first_row = std::size_t{index / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{index % tiles_across} * kTile;
  // A warp reads kReadPack rows x 32 columns at a time: no bank conflict when it stores them.
  const int read_y = lane / (kWarpSize / kReadPack);
  const int read_x = lane % (kWarpSize / kReadPack) * kReadPack;

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
    for (int j = 0; j < kReadPack; ++j) tile[y][read_x + j] = words[j];
  }
  __syncwarp();
  const int write_x = lane / (kWarpSize / kWritePack);
  const int write_y = lane % (kWarpSize / kWritePack) * kWritePack;
#pragma unroll
  for (int i = 0; i < kTile / kDown / kWritePack; ++i) {
    const int x = write_x + i * kDown * kWritePack;
    const std::size_t row = first_row + write_y;
    const std::size_t col = first_col + x;
    alignas(Pack<kWritePack>) float words[kWritePack];
#pragma unroll
    for (int j = 0; j < kWritePack; ++j) words[j] = tile[write_y + j][x];
    const auto out_packs = reinterpret_cast<Pack<kWritePack>*>(out);
    if (row < rows && col < cols) {
      out_packs[(col * rows + row) / kWritePack] = reinterpret_cast<const Pack<kWritePack>&>(words);
    }
  }
}

inline void transpose_thin(const float* in, float* out, std::size_t rows, std::size_t cols,
                           cudaStream_t stream) {
  constexpr int kTile = 32;
  constexpr int kBlockSize = 64;
  constexpr int kWarps = kBlockSize / kTile;  // each with a tile
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const bool read_packs = rows_are_aligned(in, cols);
  const bool write_packs = rows_are_aligned(out, rows);
  auto kernel = transpose_thin_kernel<kTile, kBlockSize, 1, 1>;
  if (read_packs) kernel = transpose_thin_kernel<kTile, kBlockSize, 4, 1>;
  if (write_packs) kernel = transpose_thin_kernel<kTile, kBlockSize, 1, 4>;
  if (read_packs && write_packs) kernel = transpose_thin_kernel<kTile, kBlockSize, 4, 4>;
  const unsigned blocks = (tiles_across * tiles_down + kWarps - 1) / kWarps;
  kernel<<<blocks, kBlockSize, 0, stream>>>(in, out, rows, cols, tiles_across, tiles_down);
}
