// transpose with as many tiles as cover the rows.
//
// The segments of an output row start up to 7 elements before their tiles, and so the last one may
// end that much before the row does. Right for all sizes but those just below a multiple of 128.
//
// Rejected by: result with --rows 127 --cols 131
#pragma once

#include "../kernel.cuh"

namespace last_segment {

inline void transpose(const float* in, float* out, std::size_t rows, std::size_t cols,
                      cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const bool on_sectors = starts_on_sector(out) && rows % kSectorFloats == 0;
  if (on_sectors) return ::transpose(in, out, rows, cols, stream);
  const auto tiles_along = [](std::size_t length, int tile) {
    return static_cast<unsigned>((length + tile - 1) / tile);
  };
  const auto kernel = transpose_cut_kernel<kSectorFloats>;
  const int shared_bytes = cut_shared_bytes(kSectorFloats);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  const unsigned tiles_down = tiles_along(rows, kCutRows);
  const unsigned tiles = tiles_down * tiles_along(cols, kCutCols);
  kernel<<<tiles, kCutThreads, shared_bytes, stream>>>(in, out, rows, cols, tiles_down);
}

}  // namespace last_segment
