// The main loop over the slices of a tile.
#pragma once

#include "../fragments.cuh"
#include "../turning.cuh"

// Multiplies all slices of the tile, while `copies` brings later ones. `started`: the first ones
// are on their way.
template <class Tile, class Copies>
__device__ void panel_main_loop(int row, int col, const Copies& copies, int slices,
                                float (&sum)[Tile::TM][Tile::TN], bool started = false) {
  constexpr int BK = Tile::BK;
  float a[2][Tile::TM], b[2][Tile::TN];  // for two steps of k
#pragma unroll 1
  for (int slice = started ? Copies::kAhead : 0; slice < Copies::kAhead; ++slice) {
    copies.start(slice);
  }
  copies.wait(0);
  load_fragments<Tile>(a[0], b[0], copies.stage(0), 0, row, col);
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k == BK / 2 + 2) copies.start(slice + Copies::kAhead);
      const int next = (k + 1) % BK;
      if (next == 0) copies.wait(slice + 1);
      const auto& stage = copies.stage(slice + (k + 1) / BK);
      // After the last slice from a stage that may be on its way; nobody uses those.
      load_fragments<Tile>(a[next % 2], b[next % 2], stage, next, row, col);
      multiply_turning(a[k % 2], b[k % 2], sum);
    }
  }
}
