// Transpose through a padded tile of 128 x 128 whose output is cut at sectors. A tile inside the
// matrix makes no tests, and its next address is one addition away.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// Moves a tile; kInside: all of it is in the matrix, and its segments end where the tile does.
template <int kTile, int kDown, int kEarly, bool kInside>
__device__ void transpose_inside_tile(const float* in, float* out, std::size_t rows,
                                      std::size_t cols, std::size_t first_row,
                                      std::size_t first_col, float* tile) {
  constexpr int kWarpSize = 32;
  constexpr int kSector = 8;  // floats
  constexpr int kAcross = kTile / kWarpSize;
  constexpr int kPitch = kTile + 1;  // one word of padding per row
  static_assert(kDown % kSector == 0, "the output rows of a warp lie alike in sectors");
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  const float* from = in + (first_row + warp - kEarly) * cols + first_col + lane;
  constexpr int kLoads = (kEarly + kTile) / kDown;
  // Rows before the first of the matrix wrap around, to more than there are.
  float values[kLoads][kAcross] = {};  // all on their way
#pragma unroll
  for (int i = 0; i < kLoads; ++i, from += kDown * cols) {
    const std::size_t row = first_row + warp + i * kDown - kEarly;
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      const std::size_t col = first_col + lane + j * kWarpSize;
      if (kInside || (row < rows && col < cols)) values[i][j] = from[j * kWarpSize];
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
  const float* segment = tile + (kEarly - shift) * kPitch + warp;
  float* to = out + (first_col + warp) * rows + first_row - shift;
#pragma unroll 4
  for (int i = 0; i < kTile / kDown; ++i, segment += kDown, to += kDown * rows) {
    const int x = warp + i * kDown;
#pragma unroll
    for (int j = 0; j * kWarpSize < kTile + (kInside ? 0 : kEarly); ++j) {
      const int y = lane + j * kWarpSize;
      const std::size_t row = first_row + y - shift;
      const std::size_t col = first_col + x;
      if (kInside || (row < end && col < cols)) to[y] = segment[y * kPitch];
    }
  }
}

template <int kTile, int kBlockSize, int kEarly>  // kEarly: rows before the tile, 8 or 0
__global__ void __launch_bounds__(kBlockSize, 2)
    transpose_inside_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                            unsigned tiles_down) {
  constexpr int kWarpSize = 32;
  constexpr int kDown = kBlockSize / kWarpSize;  // rows that a block reads at a time, one per warp
  extern __shared__ float tile[];                // (kEarly + kTile, kPitch)
  const std::size_t first_row = std::size_t{blockIdx.x % tiles_down} * kTile;
  const std::size_t first_col = std::size_t{blockIdx.x / tiles_down} * kTile;
  // If rows start inside sectors, the segments of the last tile are longer than the others.
  const bool above = kEarly == 0 || first_row > 0;
  const bool below = first_row + kTile + (kEarly > 0) <= rows;
  if (above && below && first_col + kTile <= cols) {
    transpose_inside_tile<kTile, kDown, kEarly, true>(in, out, rows, cols, first_row, first_col,
                                                      tile);
  } else {
    transpose_inside_tile<kTile, kDown, kEarly, false>(in, out, rows, cols, first_row, first_col,
                                                       tile);
  }
}

inline void transpose_inside(const float* in, float* out, std::size_t rows, std::size_t cols,
                             cudaStream_t stream) {
  constexpr int kTile = 128;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const bool on_sectors = reinterpret_cast<std::uintptr_t>(out) % 32 == 0 && rows % 8 == 0;
  const auto kernel = on_sectors ? transpose_inside_kernel<kTile, kBlockSize, 0>
                                 : transpose_inside_kernel<kTile, kBlockSize, 8>;
  const int shared_bytes = sizeof(float) * ((on_sectors ? 0 : 8) + kTile) * (kTile + 1);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  // Percent of that memory for tiles: room for two on an H200, where three would fit.
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 75);
  kernel<<<tiles_across * tiles_down, kBlockSize, shared_bytes, stream>>>(in, out, rows, cols,
                                                                          tiles_down);
}
