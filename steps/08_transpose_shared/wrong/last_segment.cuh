// transpose whose tiles all store as many rows.
//
// The segments of an output row start up to 7 elements before their tiles, and so the last one ends
// that much before the row does, unless it goes on to the end. Right for all sizes but those just
// below a multiple of 128.
//
// Rejected by: result with --rows 127 --cols 131
#pragma once

#include "../kernel.cuh"

namespace last_segment {

template <int kRows, int kEarly>
__device__ void store_cut_tile(float* out, std::ptrdiff_t rows, std::ptrdiff_t cols,
                               std::ptrdiff_t first_row, std::ptrdiff_t first_col,
                               const float* tile) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(out) / sizeof(float);
  const int shift = (start + (first_col + warp) * rows) % kSectorFloats;
  const float* from = tile + (kEarly - shift) * kCutPitch + warp;
  float* to = out + (first_col + warp) * rows + first_row - shift;
#pragma unroll 4
  for (int x = 0; x < kCutCols; x += kCutWarps, from += kCutWarps, to += kCutWarps * rows) {
    for (int y = lane; y < kRows; y += kWarpSize) {
      const std::ptrdiff_t row = first_row - shift + y;
      const bool mine = row >= 0 && row < rows && first_col + warp + x < cols;
      if (mine) to[y] = from[y * kCutPitch];
    }
  }
}

template <int kEarly>
__global__ void __launch_bounds__(kCutThreads, 2)
    transpose_cut_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                         unsigned tiles_down) {
  extern __shared__ float tile[];  // (kEarly + kCutRows, kCutPitch)
  const auto first_row = static_cast<std::ptrdiff_t>(blockIdx.x % tiles_down) * kCutRows;
  const auto first_col = static_cast<std::ptrdiff_t>(blockIdx.x / tiles_down) * kCutCols;
  const auto m = static_cast<std::ptrdiff_t>(rows);
  const auto n = static_cast<std::ptrdiff_t>(cols);
  load_cut_tile<kCutRows, kEarly, false>(in, m, n, first_row, first_col, tile);
  __syncthreads();
  store_cut_tile<kCutRows, kEarly>(out, m, n, first_row, first_col, tile);
}

inline void transpose(const float* in, float* out, std::size_t rows, std::size_t cols,
                      cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const auto tiles_along = [](std::size_t length, int tile) {
    return static_cast<unsigned>((length + tile - 1) / tile);
  };
  const int shared_bytes = cut_shared_bytes(kSectorFloats);
  const auto kernel = transpose_cut_kernel<kSectorFloats>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  const unsigned tiles_down = tiles_along(rows, kCutRows);
  const unsigned tiles = tiles_down * tiles_along(cols, kCutCols);
  kernel<<<tiles, kCutThreads, shared_bytes, stream>>>(in, out, rows, cols, tiles_down);
}

}  // namespace last_segment
