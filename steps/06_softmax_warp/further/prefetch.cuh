// A part of a later row, into the L2 cache.
#pragma once

#include "../../instructions/bulk_prefetch.cuh"
#include "../span.cuh"

// At most `most` columns of a row, from first_col on, in whole packs of four. One thread of the
// block asks for all of it.
__device__ inline void prefetch_row(const float* x, std::size_t row, std::size_t rows,
                                    unsigned cols, unsigned first_col, unsigned most) {
  if (threadIdx.x == 0 && row < rows && first_col < cols) {
    const float* const first = x + row * cols + first_col;
    const unsigned bytes = min(cols - first_col, most) / 4 * sizeof(float4);
    if (bytes > 0) bulk_prefetch(first - misalignment(first), bytes);
  }
}
