// y = A x by the rung for the shape: one thread per 8 floats of a row. Two-warp blocks finish
// faster than the GPU can launch them, so one warp takes such a row; if a warp would have less than
// 8 floats per lane, it takes four rows; and rows that are shorter than a warp share one. If
// there are fewer long rows than the GPU holds blocks, or rows are not aligned, four go together,
// and several blocks share them.
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
  // Floats: longer rows fill a warp. Packs of one float keep too little in flight for that.
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
