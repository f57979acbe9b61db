// Transpose through a swizzled tile, 16 elements per thread: a thread asks for 64 bytes before it
// waits for any of them, instead of 4, and so more bytes are in flight.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

template <int kTile, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize)
    transpose_tile_in_flight_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    unsigned tiles_across) {
  constexpr int kWarpSize = 32;
  constexpr int kDown = kBlockSize / kTile;  // rows that a block reads at a time
  static_assert(kTile % kWarpSize == 0 && kTile % kDown == 0, "warps share rows, threads the tile");
  __shared__ float tile[kTile][kTile];  // word (y, x) is in column x ^ y % kWarpSize
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;
  const unsigned across = threadIdx.x % kTile;
  const unsigned down = threadIdx.x / kTile;

  float values[kTile / kDown] = {};  // all on their way before the first is needed
#pragma unroll
  for (int i = 0; i < kTile / kDown; ++i) {
    const std::size_t row = first_row + down + i * kDown;
    const std::size_t col = first_col + across;
    if (row < rows && col < cols) values[i] = in[row * cols + col];
  }
#pragma unroll
  for (int i = 0; i < kTile / kDown; ++i) {
    const int y = down + i * kDown;
    tile[y][across ^ (y % kWarpSize)] = values[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kTile / kDown; ++i) {
    const int x = down + i * kDown;
    const std::size_t row = first_row + across;
    const std::size_t col = first_col + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[across][x ^ (across % kWarpSize)];
  }
}

inline void transpose_tile_in_flight(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, cudaStream_t stream) {
  constexpr int kTile = 64;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const auto kernel = transpose_tile_in_flight_kernel<kTile, kBlockSize>;
  kernel<<<tiles_across * tiles_down, kBlockSize, 0, stream>>>(in, out, rows, cols, tiles_across);
}
