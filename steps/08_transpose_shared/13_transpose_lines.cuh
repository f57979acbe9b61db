// Transpose through a padded tile of 128 x 128 whose output is cut at sectors. The stores of a warp
// start on lines of 128 bytes, too: each but the first is one message to the L2 cache, not two.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "load_rows.cuh"
#include "store_segments.cuh"

// Moves kRows rows; kInside: all of them are in the matrix, and segments end where the tile does.
template <int kRows, int kTile, int kDown, int kEarly, bool kInside>
__device__ void transpose_lines_tile(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, std::size_t first_row, std::size_t first_col,
                                     float* tile) {
  load_rows<kRows, kTile, kDown, kEarly, kInside>(in, rows, cols, first_row, first_col, tile);
  __syncthreads();
  store_segments<kRows, kTile, kDown, kEarly, kInside>(out, rows, cols, first_row, first_col, tile);
}

template <int kTile, int kBlockSize, int kEarly>  // kEarly: rows before the tile, 8 or 0
__global__ void __launch_bounds__(kBlockSize, 2)
    transpose_lines_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
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
    transpose_lines_tile<kTile, kTile, kDown, kEarly, true>(in, out, rows, cols, first_row,
                                                            first_col, tile);
  } else {
    transpose_lines_tile<kTile, kTile, kDown, kEarly, false>(in, out, rows, cols, first_row,
                                                             first_col, tile);
  }
}

inline void transpose_lines(const float* in, float* out, std::size_t rows, std::size_t cols,
                            cudaStream_t stream) {
  constexpr int kTile = 128;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const bool on_sectors = reinterpret_cast<std::uintptr_t>(out) % 32 == 0 && rows % 8 == 0;
  const auto kernel = on_sectors ? transpose_lines_kernel<kTile, kBlockSize, 0>
                                 : transpose_lines_kernel<kTile, kBlockSize, 8>;
  const int shared_bytes = sizeof(float) * ((on_sectors ? 0 : 8) + kTile) * (kTile + 1);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  // Percent of that memory for tiles: room for two on an H200, where three would fit.
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 75);
  kernel<<<tiles_across * tiles_down, kBlockSize, shared_bytes, stream>>>(in, out, rows, cols,
                                                                          tiles_down);
}
