// Transpose through a padded tile of 128 x 128 whose output is cut at sectors: a segment of an
// output row starts up to 7 elements before the tile, where a sector of 32 bytes does. Only the
// ends of rows are written in part. For that, a block loads 8 rows of the tile above, unless all
// rows start on sectors.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

template <int kTile, int kBlockSize, int kEarly>  // kEarly: rows before the tile, 8 or 0
__global__ void __launch_bounds__(kBlockSize, 2)
    transpose_cut_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                         unsigned tiles_down) {
  constexpr int kWarpSize = 32;
  constexpr int kSector = 8;                     // floats
  constexpr int kDown = kBlockSize / kWarpSize;  // rows that a block reads at a time, one per warp
  constexpr int kAcross = kTile / kWarpSize;
  constexpr int kPitch = kTile + 1;  // one word of padding per row
  extern __shared__ float tile[];    // (kEarly + kTile, kPitch)
  static_assert(kDown % kSector == 0, "the output rows of a warp lie alike in sectors");
  const std::size_t first_row = std::size_t{blockIdx.x % tiles_down} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x / tiles_down} * kTile;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  constexpr int kLoads = (kEarly + kTile) / kDown;
  // Rows before the first of the matrix wrap around, to more than there are.
  float values[kLoads][kAcross] = {};  // all on their way
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const std::size_t row = first_row + warp + i * kDown - kEarly;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      const std::size_t col = first_col + lane + j * kWarpSize;
      if (row < rows && col < cols) values[i][j] = in[row * cols + col];
    }
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    float* const to = tile + (warp + i * kDown) * kPitch + lane;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) to[j * kWarpSize] = values[i][j];
  }
  __syncthreads();
  // The segment starts this many elements before the tile.
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(out) / sizeof(float);
  const int shift = (start + (first_col + warp) * rows) % kSector;
  const bool last = first_row + kTile >= rows;  // its segments go on to the end
  const std::size_t end = last ? rows : first_row + kTile - shift;
#pragma unroll 4
  for (int i = 0; i < kTile / kDown; ++i) {
    const int x = warp + i * kDown;
#pragma unroll
    for (int j = 0; j * kWarpSize < kEarly + kTile; ++j) {
      const int y = lane + j * kWarpSize;
      const std::size_t row = first_row + y - shift;
      const std::size_t col = first_col + x;
      if (row < end && col < cols) out[col * rows + row] = tile[(kEarly - shift + y) * kPitch + x];
    }
  }
}

inline void transpose_cut(const float* in, float* out, std::size_t rows, std::size_t cols,
                          cudaStream_t stream) {
  constexpr int kTile = 128;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const bool on_sectors = reinterpret_cast<std::uintptr_t>(out) % 32 == 0 && rows % 8 == 0;
  const auto kernel = on_sectors ? transpose_cut_kernel<kTile, kBlockSize, 0>
                                 : transpose_cut_kernel<kTile, kBlockSize, 8>;
  const int shared_bytes = sizeof(float) * ((on_sectors ? 0 : 8) + kTile) * (kTile + 1);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  // Percent of that memory for tiles: room for two on an H200, where three would fit.
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 75);
  kernel<<<tiles_across * tiles_down, kBlockSize, shared_bytes, stream>>>(in, out, rows, cols,
                                                                          tiles_down);
}
