// 07_transpose_naive: known-wrong twins of its kernels, for the checks to find.
#include "harness/step.h"
#include "no_last_tile.cuh"
#include "problem/transpose.h"
#include "swapped_grid.cuh"
#include "swapped_guard.cuh"
#include "wrong_pitch.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Transpose>(
      argc, argv, "07_transpose_naive",
      {
          {"swapped_guard", swapped_guard::transpose_read_coalesced},
          {"swapped_grid", swapped_grid::transpose_read_coalesced},
          {"wrong_pitch", wrong_pitch::transpose_read_coalesced},
          {"no_last_tile", no_last_tile::transpose_write_coalesced},
      });
}
