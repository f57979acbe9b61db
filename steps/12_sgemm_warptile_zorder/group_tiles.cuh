// Tiles for sgemm_two_groups that sgemm_tuned can choose.
#pragma once

#include <cuda_runtime.h>

#include "28_sgemm_two_groups.cuh"
#include "tuned_tiles.cuh"

template <class Tiles>
void two_groups_launch(const float* A, const float* B, float* C, int M, int N, int K,
                       const Partition&, float*, cudaStream_t stream) {
  sgemm_two_groups_launch<Tiles, 4>(A, B, C, M, N, K, stream);
}

// BK is that of both groups together. If K is no multiple of it, other tiles are faster: the kernel
// copies and multiplies the rest of K without any overlap.
template <class Tiles>
constexpr TunedTiles group_tiles(const char* name, const TileCosts& costs) {
  TunedTiles tiles = aligned_tiles<Tiles>(name, costs, two_groups_launch<Tiles>);
  tiles.BK *= 2;
  tiles.shared_bytes *= 2;
  tiles.whole_slices = true;
  tiles.shares = false;
  return tiles;
}
