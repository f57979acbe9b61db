// Equal shares of all tiles, one per block of a grid.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../partition.cuh"

struct Shares : Partition {
  __host__ __device__ std::int64_t begin(int block) const {
    return block * (std::int64_t{shared} * slices) / sharers;
  }
};

// For `blocks` blocks, or one per slice if there are fewer slices.
template <class Tile>
Shares make_shares(int M, int N, int K, int blocks) {
  const int tiles = ((M - 1) / Tile::BM + 1) * ((N - 1) / Tile::BN + 1);
  const int slices = (K - 1) / Tile::BK + 1;
  const auto most = std::min<std::int64_t>(blocks, std::int64_t{tiles} * slices);
  return {slices, tiles, static_cast<int>(most)};
}
