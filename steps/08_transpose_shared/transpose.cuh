// The fast transpose: the rung for the shape. Both sides of a tile of 128 have to be worth it; thin
// matrices are moved in packs where their rows start on 16 bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "14_transpose_halves.cuh"
#include "17_transpose_thin_streaming.cuh"
#include "19_transpose_flat_streaming.cuh"
#include "6_transpose_tile_vectorized.cuh"
#include "packs.cuh"

inline void transpose(const float* in, float* out, std::size_t rows, std::size_t cols,
                      cudaStream_t stream) {
  constexpr std::size_t kTile = 128;  // of transpose_halves, and the columns of a flat one
  constexpr std::size_t kFewRows = 32;
  if (rows >= kTile && cols >= kTile) {
    transpose_halves(in, out, rows, cols, stream);
  } else if (!rows_are_aligned(in, cols) || !rows_are_aligned(out, rows)) {
    transpose_tile_vectorized(in, out, rows, cols, stream);
  } else if (rows <= kFewRows && cols >= kTile) {
    transpose_flat_streaming(in, out, rows, cols, stream);
  } else {
    transpose_thin_streaming(in, out, rows, cols, stream);
  }
}
