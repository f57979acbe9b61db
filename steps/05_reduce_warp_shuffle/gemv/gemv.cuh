// y = A x by the rung for the shape: one thread per 8 floats of a row. A row that would need two
// warps gets one, because two-warp blocks finish faster than the GPU can launch them. With fewer
// than 8 floats per lane, a warp takes four rows, and still shorter rows share a warp. Long rows
// that are not aligned, or fewer than the blocks that the GPU holds, are read four at a time by
// several blocks.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../instructions/device_attributes.cuh"
#include "4_gemv_warp_ahead.cuh"
#include "5_gemv_warp_rows.cuh"
#include "6_gemv_block.cuh"
#include "7_gemv_groups.cuh"
#include "8_gemv_split.cuh"
#include "9_gemv_split_rows.cuh"

// Whether one block per row would leave the GPU without enough to do, and a row is worth several.
inline bool rows_are_few(std::size_t m, std::size_t k) {
  constexpr std::size_t kBlocksPerSm = 4;  // of 512 threads, the most that an SM holds
  return k > kWorthSplitting && m < kBlocksPerSm * multiprocessors();
}

inline void gemv(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                 cudaStream_t stream) {
  // The longest row, in floats, that gemv_groups takes: longer if loads are of one float.
  const bool aligned = rows_are_aligned(a, x, k);
  const std::size_t short_row = aligned ? 2 * kWarpSize : 3 * kWarpSize;
  const bool few = rows_are_few(m, k);
  if (few && m == 1) {
    gemv_split(a, x, y, m, k, stream);
  } else if (few || (!aligned && k > kWorthSplitting / 4)) {
    gemv_split_rows(a, x, y, m, k, stream);
  } else if (k >= 8 * 128) {
    gemv_block(a, x, y, m, k, stream);
  } else if (k >= 8 * kWarpSize) {
    gemv_warp_ahead(a, x, y, m, k, stream);
  } else if (k > short_row) {
    gemv_warp_rows(a, x, y, m, k, stream);
  } else {
    gemv_groups(a, x, y, m, k, stream);
  }
}
