#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/transpose.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Transpose>(
      {kTile}, {
                   {"transpose_read_coalesced", transpose_read_coalesced},
                   {"transpose_write_coalesced", transpose_write_coalesced},
               });
}
