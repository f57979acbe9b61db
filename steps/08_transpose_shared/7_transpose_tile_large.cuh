// Transpose through a padded tile of 128 x 128: a thread asks for 256 bytes at once. Such a tile
// does not fit into the 48 KiB of static shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

template <int kTile, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize)
    transpose_tile_large_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                                unsigned tiles_across) {
  constexpr int kWarpSize = 32;
  constexpr int kDown = kBlockSize / kWarpSize;  // rows that a block reads at a time, one per warp
  constexpr int kAcross = kTile / kWarpSize;
  constexpr int kPitch = kTile + 1;  // one word of padding per row
  extern __shared__ float tile[];    // (kTile, kPitch)
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  float values[kTile / kDown][kAcross] = {};  // all on their way
#pragma unroll
  for (int i = 0; i < kTile / kDown; ++i) {
    const std::size_t row = first_row + warp + i * kDown;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      const std::size_t col = first_col + lane + j * kWarpSize;
      if (row < rows && col < cols) values[i][j] = in[row * cols + col];
    }
  }
#pragma unroll
  for (int i = 0; i < kTile / kDown; ++i) {
    float* const to = tile + (warp + i * kDown) * kPitch + lane;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) to[j * kWarpSize] = values[i][j];
  }
  __syncthreads();
#pragma unroll 4
  for (int i = 0; i < kTile / kDown; ++i) {
    const int x = warp + i * kDown;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      const int y = lane + j * kWarpSize;
      const std::size_t row = first_row + y;
      const std::size_t col = first_col + x;
      if (row < rows && col < cols) out[col * rows + row] = tile[y * kPitch + x];
    }
  }
}

inline void transpose_tile_large(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  constexpr int kTile = 128;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const auto kernel = transpose_tile_large_kernel<kTile, kBlockSize>;
  const int shared_bytes = sizeof(float) * kTile * (kTile + 1);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  kernel<<<tiles_across * tiles_down, kBlockSize, shared_bytes, stream>>>(in, out, rows, cols,
                                                                          tiles_across);
}
