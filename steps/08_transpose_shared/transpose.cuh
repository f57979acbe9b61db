// The fast transpose: the rung for the shape. Large matrices get tiles of 128, small ones tiles of
// 64, of which there are more, and the smallest thin ones the plain padded tile. Other thin
// matrices are moved in packs if their rows start on 16 bytes, else in tiles as thin as they are.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../instructions/device_attributes.cuh"
#include "14_transpose_halves.cuh"
#include "17_transpose_thin_streaming.cuh"
#include "19_transpose_flat_streaming.cuh"
#include "20_transpose_tile_fitted.cuh"
#include "2_transpose_tile_padded.cuh"
#include "6_transpose_tile_vectorized.cuh"
#include "packs.cuh"

inline void transpose(const float* in, float* out, std::size_t rows, std::size_t cols,
                      cudaStream_t stream) {
  constexpr std::size_t kTile = 128;  // of transpose_halves, and the columns of a flat one
  constexpr std::size_t kFewRows = 32;
  constexpr std::size_t kFitted = 64;        // the shorter side of a tile of transpose_tile_fitted
  constexpr std::size_t kSmall = 640 * 640;  // elements: 25 tiles of 128
  constexpr std::size_t kPadded = 32;        // the side of a tile of transpose_tile_padded
  const auto padded_tiles = [](std::size_t side) { return (side + kPadded - 1) / kPadded; };
  const std::size_t two_turns = 4 * multiprocessors();  // an SM holds two such blocks at a time
  const std::size_t shorter = std::min(rows, cols);
  if (shorter < kTile && padded_tiles(rows) * padded_tiles(cols) <= two_turns) {
    transpose_tile_padded(in, out, rows, cols, stream);
  } else if (shorter >= kTile) {
    const bool small = rows <= kSmall / cols;
    (small ? transpose_tile_vectorized : transpose_halves)(in, out, rows, cols, stream);
  } else if (!rows_are_aligned(in, cols) || !rows_are_aligned(out, rows)) {
    const bool fitted = shorter <= kFitted;
    (fitted ? transpose_tile_fitted : transpose_halves)(in, out, rows, cols, stream);
  } else if (rows <= kFewRows && cols >= kTile) {
    transpose_flat_streaming(in, out, rows, cols, stream);
  } else {
    transpose_thin_streaming(in, out, rows, cols, stream);
  }
}
