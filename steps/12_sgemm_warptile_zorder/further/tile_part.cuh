// Stream-K: the parts of tiles that make up a block's share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../partition.cuh"
#include "../tile_place.cuh"
#include "panels.cuh"

// Some slices of a tile: where it is, how many columns it has, and its number; the first slice, and
// how many. `begins_share`: the share's first slice is one of them.
struct TilePart {
  TilePlace place;
  int columns, tile, first, slices;
  bool begins_share;
};

// Part i of this block's share, from its last tile to its first: the part that the next block adds
// to its own is ready early. It has no slices if i is past the last part.
template <class Tile, class Shares>
__device__ TilePart part_of_share(const Shares& shares, int i, int M, int N) {
  const std::int64_t begin = shares.begin(blockIdx.x), end = shares.begin(blockIdx.x + 1);
  const int tile = (end - 1) / shares.slices - i;
  const std::int64_t slice = std::int64_t{tile} * shares.slices;  // its first
  const int first = max(begin - slice, std::int64_t{0});
  const int after = min(end - slice, std::int64_t{shares.slices});
  const int slices = max(after - first, 0);
  return {tile_place<Tile>(tile, M, N), Tile::BN, tile, first, slices, begin >= slice};
}

// The operands of a part of a tile: slices of a panel, (slices, BK, BM), and columns of B,
// (depth, columns). If B ends before the last slice does, zeros follow.
struct PartOperands {
  const float *A, *B, *zeros;
  std::size_t ldb;  // 64 bits: offsets pass 2^31
  int slices, depth, columns;
};

template <class Tile>
__device__ PartOperands part_operands(const TilePart& part, const PanelMemory& memory,
                                      const float* B, int N, int K) {
  const std::size_t first = part.first * std::size_t{Tile::BK}, ldb = N;
  const float* const A = memory.panels + part.place.own_row * panel_depth(K) + first * Tile::BM;
  const int depth = K - static_cast<int>(first);
  return {A, B + first * ldb + part.place.col, memory.zeros, ldb, part.slices, depth, part.columns};
}
