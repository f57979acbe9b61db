#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/sum.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Sum>(
      {kTile}, {
                   {"reduce_shuffle", reduce_shuffle},
                   {"reduce_shuffle_float4", reduce_shuffle_float4},
                   {"reduce_grid_stride", reduce_grid_stride},
                   {"reduce_two_pass", reduce_two_pass, harness::Promise::same_bits},
                   {"reduce_many_blocks", reduce_many_blocks},
                   {"reduce_last_block", reduce_last_block, harness::Promise::same_bits},
               });
}
