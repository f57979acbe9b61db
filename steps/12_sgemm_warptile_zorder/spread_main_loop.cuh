// The main loop over the slices of a tile.
#pragma once

// Multiplies all slices of the tile. `copy_next` starts one of kParts of a copy to a stage.
template <class Tile, int kParts, auto kMultiply, class Copy>
__device__ void main_loop(  //
    const typename Tile::Stage* stages, int row, int col, Copy copy_next, int slices,
    float (&sum)[Tile::TM][Tile::TN]) {
  constexpr int BK = Tile::BK, kStages = Tile::kStages;
  constexpr int kEvery = BK / kParts;
  static_assert(BK % kParts == 0 && kEvery >= 2, "the last part comes before the last step");
  float a[2][Tile::TM], b[2][Tile::TN];  // for two steps of k
#pragma unroll 1
  for (int stage = 0; stage < kStages - 1; ++stage) {
    for (int part = 0; part < kParts; ++part) copy_next(stage, part);
  }
  __pipeline_wait_prior(kStages - 2);
  __syncthreads();
  load_fragments<Tile>(a[0], b[0], stages[0], 0, row, col);
  int stage = 0, to = kStages - 1;  // one is read, the one before it is copied to
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k % kEvery == 0) copy_next(to, k / kEvery);
      const int next = (k + 1) % BK;
      if (next == 0) {
        to = stage;
        stage = stage < kStages - 1 ? stage + 1 : 0;
        __pipeline_wait_prior(kStages - 2);  // this thread's copies into the stage have arrived,
        __syncthreads();                     // so have all others', and the stage before is free
      }
      load_fragments<Tile>(a[next % 2], b[next % 2], stages[stage], next, row, col);
      kMultiply(a[k % 2], b[k % 2], sum);
    }
  }
}
