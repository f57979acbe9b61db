// Stream-K: which block computes which slices.
#pragma once

#include <cstdint>

// The first `sharers` blocks get equal shares of the slices of the first `shared` tiles, one tile
// after the other; each further tile gets a block of its own.
struct Partition {
  int slices;  // of a tile
  int shared, sharers;

  // The first slice of a block, counted through all tiles.
  __host__ __device__ std::int64_t begin(int block) const {
    const std::int64_t shared_slices = std::int64_t{shared} * slices;
    if (block < sharers) return block * shared_slices / sharers;
    return shared_slices + std::int64_t{block - sharers} * slices;
  }
  // The share that owns a slice.
  __device__ int sharer_of(std::int64_t slice) const {
    return static_cast<int>(((slice + 1) * sharers - 1) / (std::int64_t{shared} * slices));
  }
};
