// Transpose through a padded tile of 128 x 128 whose output is cut at sectors, the first and the
// last tiles in halves. When a launch begins, all blocks read and nobody writes; when it ends, it
// is the other way around. Both are shorter with smaller tiles.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../instructions/device_attributes.cuh"
#include "load_rows.cuh"
#include "store_segments.cuh"

// Moves kRows rows; kInside: all of them are in the matrix, and segments end where the tile does.
template <int kRows, int kTile, int kDown, int kEarly, bool kInside>
__device__ void transpose_halves_tile(const float* in, float* out, std::size_t rows,
                                      std::size_t cols, std::size_t first_row,
                                      std::size_t first_col, float* tile) {
  load_rows<kRows, kTile, kDown, kEarly, kInside>(in, rows, cols, first_row, first_col, tile);
  __syncthreads();
  store_segments<kRows, kTile, kDown, kEarly, kInside>(out, rows, cols, first_row, first_col, tile);
}

template <int kTile, int kBlockSize, int kEarly>  // kEarly: rows before the tile, 8 or 0
__global__ void __launch_bounds__(kBlockSize, 2)
    transpose_halves_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                            unsigned tiles_down, unsigned halved) {
  constexpr int kWarpSize = 32;
  constexpr int kDown = kBlockSize / kWarpSize;  // rows that a block reads at a time, one per warp
  extern __shared__ float tile[];                // (kEarly + kTile, kPitch)
  // The first 2 * halved blocks move half a tile each, and so do the last; the others a whole one.
  const unsigned whole_tiles = gridDim.x - 4 * halved;
  const unsigned behind_halves = max(blockIdx.x, 2 * halved) - 2 * halved;
  const bool whole = blockIdx.x >= 2 * halved && behind_halves < whole_tiles;
  const unsigned half = blockIdx.x + min(behind_halves, whole_tiles);  // the block's first
  constexpr int kHalf = kTile / 2;
  const std::size_t first_row = std::size_t{half % (2 * tiles_down)} * kHalf;
  const std::size_t first_col = std::size_t{half / (2 * tiles_down)} * kTile;
  // If rows start inside sectors, the segments of the last tile are longer than the others.
  const bool above = kEarly == 0 || first_row > 0;
  const bool below = first_row + (whole ? kTile : kHalf) + (kEarly > 0) <= rows;
  const bool inside = above && below && first_col + kTile <= cols;
  if (inside && whole) {
    transpose_halves_tile<kTile, kTile, kDown, kEarly, true>(in, out, rows, cols, first_row,
                                                             first_col, tile);
  } else if (inside) {
    transpose_halves_tile<kHalf, kTile, kDown, kEarly, true>(in, out, rows, cols, first_row,
                                                             first_col, tile);
  } else if (whole) {
    transpose_halves_tile<kTile, kTile, kDown, kEarly, false>(in, out, rows, cols, first_row,
                                                              first_col, tile);
  } else if (first_row < rows) {  // not the half of a tile that has less
    transpose_halves_tile<kHalf, kTile, kDown, kEarly, false>(in, out, rows, cols, first_row,
                                                              first_col, tile);
  }
}

inline void transpose_halves(const float* in, float* out, std::size_t rows, std::size_t cols,
                             cudaStream_t stream) {
  constexpr int kTile = 128;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kTile - 1) / kTile);
  const bool on_sectors = reinterpret_cast<std::uintptr_t>(out) % 32 == 0 && rows % 8 == 0;
  const auto kernel = on_sectors ? transpose_halves_kernel<kTile, kBlockSize, 0>
                                 : transpose_halves_kernel<kTile, kBlockSize, 8>;
  const int shared_bytes = sizeof(float) * ((on_sectors ? 0 : 8) + kTile) * (kTile + 1);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  // Percent of that memory for tiles: room for two on an H200, where three would fit.
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 75);
  const unsigned tiles = tiles_across * tiles_down;
  const unsigned halved = std::min<unsigned>(multiprocessors(), tiles) / 2;  // at each end
  kernel<<<tiles + 2 * halved, kBlockSize, shared_bytes, stream>>>(in, out, rows, cols, tiles_down,
                                                                   halved);
}
