// y = A x by the rung for the shape: one thread per 8 floats of a row. Two-warp blocks finish
// faster than the GPU can launch them, so one warp takes such a row; and if a warp would have less
// than 8 floats per lane, it takes four rows.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "4_gemv_warp_ahead.cuh"
#include "5_gemv_warp_rows.cuh"
#include "6_gemv_block.cuh"

inline void gemv(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                 cudaStream_t stream) {
  if (k >= 8 * 128) {
    gemv_block(a, x, y, m, k, stream);
  } else if (k >= 8 * kWarpSize) {
    gemv_warp_ahead(a, x, y, m, k, stream);
  } else {
    gemv_warp_rows(a, x, y, m, k, stream);
  }
}
