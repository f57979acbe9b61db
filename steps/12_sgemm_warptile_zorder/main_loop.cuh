// The main loop over the slices of a tile.
#pragma once

// Multiplies all slices of the tile. `copy_next` starts to copy one to a stage.
template <class Tile, class Copy>
__device__ void main_loop(  //
    const typename Tile::Stage* stages, int row, int col, Copy copy_next, int slices,
    float (&sum)[Tile::TM][Tile::TN]) {
  constexpr int BK = Tile::BK, kStages = Tile::kStages;
  float a[2][Tile::TM], b[2][Tile::TN];  // for two steps of k
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();
  load_fragments<Tile>(a[0], b[0], stages[0], 0, row, col);
  int stage = 0;
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    copy_next((stage + kStages - 1) % kStages);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const int next = (k + 1) % BK;
      if (next == 0) {
        stage = (stage + 1) % kStages;
        __pipeline_wait_prior(kStages - 2);  // this thread's copies into the stage have arrived,
        __syncthreads();                     // so have all others', and the stage before is free
      }
      load_fragments<Tile>(a[next % 2], b[next % 2], stages[stage], next, row, col);
      multiply(a[k % 2], b[k % 2], sum);
    }
  }
}
