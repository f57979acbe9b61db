#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/transpose.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Transpose>(
      {kTile}, {
                   {"transpose_tile", transpose_tile},
                   {"transpose_tile_padded", transpose_tile_padded},
                   {"transpose_tile_swizzled", transpose_tile_swizzled},
                   {"transpose_tile_vectorized", transpose_tile_vectorized},
                   {"transpose", transpose},
               });
}
