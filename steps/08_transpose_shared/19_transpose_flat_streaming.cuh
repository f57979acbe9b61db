// Transpose of a matrix with few rows, through a tile of 32 x 128. Stores and loads bypass L1,
// except loads of a matrix that fits into half of L2 with its transpose: these mark what they read
// as the first to leave L1 and L2.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../instructions/device_attributes.cuh"
#include "packs.cuh"

template <int kTile, int kBlockSize, int kReadPack, int kWritePack, bool kSmall>
__global__ void __launch_bounds__(kBlockSize)
    transpose_flat_streaming_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    unsigned tiles_across) {
  constexpr int kRows = kTile / 4;
  constexpr int kDown = kBlockSize / kTile;    // rows that a block reads at a time, float by float
  constexpr int kAcross = kBlockSize / kRows;  // rows of the output that it writes at a time
  __shared__ alignas(float4) float tile[kRows][kTile];  // word (y, x) is in column x ^ y / 4 * 4
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kRows;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;
  const int read_y = threadIdx.x / (kTile / kReadPack);
  const int read_x = threadIdx.x % (kTile / kReadPack) * kReadPack;

  Pack<kReadPack> packs[kRows / kDown / kReadPack] = {};  // all on their way
#pragma unroll
  for (int i = 0; i < kRows / kDown / kReadPack; ++i) {
    const std::size_t row = first_row + read_y + i * kDown * kReadPack;
    const std::size_t col = first_col + read_x;
    // A pack is inside the matrix or outside, never across its edge.
    if (row < rows && col < cols) {
      const auto from = reinterpret_cast<const Pack<kReadPack>*>(in + row * cols + col);
      packs[i] = kSmall ? __ldcs(from) : __ldcg(from);
    }
  }
#pragma unroll
  for (int i = 0; i < kRows / kDown / kReadPack; ++i) {
    const int y = read_y + i * kDown * kReadPack;
    reinterpret_cast<Pack<kReadPack>&>(tile[y][read_x ^ (y / 4 * 4)]) = packs[i];
  }
  __syncthreads();
  const int write_x = threadIdx.x / (kRows / kWritePack);
  const int write_y = threadIdx.x % (kRows / kWritePack) * kWritePack;
#pragma unroll
  for (int i = 0; i < kTile / kAcross / kWritePack; ++i) {
    const int x = write_x + i * kAcross * kWritePack;
    const std::size_t row = first_row + write_y;
    const std::size_t col = first_col + x;
    alignas(Pack<kWritePack>) float words[kWritePack];
#pragma unroll
    for (int j = 0; j < kWritePack; ++j) words[j] = tile[write_y + j][x ^ (write_y / 4 * 4)];
    if (row < rows && col < cols) {
      const auto to = reinterpret_cast<Pack<kWritePack>*>(out + col * rows + row);
      __stcg(to, reinterpret_cast<const Pack<kWritePack>&>(words));
    }
  }
}

inline void transpose_flat_streaming(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, cudaStream_t stream) {
  constexpr int kTile = 128;
  constexpr int kRows = kTile / 4;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kRows - 1) / kRows);
  const bool packs = rows_are_aligned(in, cols) && rows_are_aligned(out, rows);
  const std::size_t l2_bytes = device_attribute(cudaDevAttrL2CacheSize);
  const bool small = 2 * sizeof(float) * rows * cols <= l2_bytes / 2;
  const auto kernel = !packs  ? transpose_flat_streaming_kernel<kTile, kBlockSize, 1, 1, false>
                      : small ? transpose_flat_streaming_kernel<kTile, kBlockSize, 4, 4, true>
                              : transpose_flat_streaming_kernel<kTile, kBlockSize, 4, 4, false>;
  kernel<<<tiles_across * tiles_down, kBlockSize, 0, stream>>>(in, out, rows, cols, tiles_across);
}
