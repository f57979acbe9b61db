// Transpose of a matrix with few columns, a tile per warp. Stores and loads bypass L1, except loads
// of a small matrix: these mark what they read as the first to leave L1 and L2.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../instructions/device_attributes.cuh"
#include "packs.cuh"

template <int kTile, int kBlockSize, int kReadPack, int kWritePack, bool kSmall>
__global__ void __launch_bounds__(kBlockSize)
    transpose_thin_streaming_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
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

  const bool inside = first_row + kTile <= rows && first_col + kTile <= cols;
  Pack<kReadPack> packs[kTile / kDown / kReadPack] = {};  // all on their way
  const auto load = [&](bool guarded) {
#pragma unroll
    for (int i = 0; i < kTile / kDown / kReadPack; ++i) {
      const std::size_t row = first_row + read_y + i * kDown * kReadPack;
      const std::size_t col = first_col + read_x;
      // A pack is inside the matrix or outside, never across its edge.
      if (!guarded || (row < rows && col < cols)) {
        const auto from = reinterpret_cast<const Pack<kReadPack>*>(in + row * cols + col);
        packs[i] = kSmall ? __ldcs(from) : __ldcg(from);
      }
    }
  };
  inside ? load(false) : load(true);
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
    if (inside || (row < rows && col < cols)) {
      const auto to = reinterpret_cast<Pack<kWritePack>*>(out + col * rows + row);
      __stcg(to, reinterpret_cast<const Pack<kWritePack>&>(words));
    }
  }
}

inline void transpose_thin_streaming(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, cudaStream_t stream) {
  constexpr int kTile = 32;
  constexpr int kBlockSize = 64;
  constexpr int kWarps = kBlockSize / kTile;  // each with a tile
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const bool packs = rows_are_aligned(in, cols) && rows_are_aligned(out, rows);
  const std::size_t l2_bytes = device_attribute(cudaDevAttrL2CacheSize);
  const bool small = 2 * sizeof(float) * rows * cols <= l2_bytes / 2;
  const auto kernel = !packs  ? transpose_thin_streaming_kernel<kTile, kBlockSize, 1, 1, false>
                      : small ? transpose_thin_streaming_kernel<kTile, kBlockSize, 4, 4, true>
                              : transpose_thin_streaming_kernel<kTile, kBlockSize, 4, 4, false>;
  const unsigned blocks = (tiles_across * tiles_down + kWarps - 1) / kWarps;
  kernel<<<blocks, kBlockSize, 0, stream>>>(in, out, rows, cols, tiles_across, tiles_down);
}
