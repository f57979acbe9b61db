// transpose with as many tiles as cover the rows.
//
// The segments of an output row start up to 7 elements before their tiles, and so the last one may
// end that much before the row does. Right for all sizes but those just below a multiple of 64.
//
// Rejected by: result with --rows 127 --cols 131
#pragma once

#include "../kernel.cuh"

namespace last_segment {

inline void transpose(const float* in, float* out, std::size_t rows, std::size_t cols,
                      cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const auto tiles_along = [](std::size_t length, int tile) {
    return static_cast<unsigned>((length + tile - 1) / tile);
  };
  if (rows < kCutRows || cols < kCutCols) {
    if (!rows_are_aligned(in, cols) || !rows_are_aligned(out, rows)) {
      return transpose_tile_vectorized(in, out, rows, cols, stream);
    }
    const unsigned tiles_across = tiles_along(cols, kThinSide);
    const unsigned tiles = tiles_across * tiles_along(rows, kThinSide);
    transpose_thin_kernel<<<tiles_along(tiles, kThinWarps), kThinWarps * kWarpSize, 0, stream>>>(
        in, out, rows, cols, tiles_across, tiles);
    return;
  }
  const unsigned tiles_down = tiles_along(rows, kCutRows);
  const unsigned tiles = tiles_down * tiles_along(cols, kCutCols);
  transpose_cut_kernel<<<tiles, kCutThreads, 0, stream>>>(in, out, rows, cols, tiles_down);
}

}  // namespace last_segment
