#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/sgemm.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Sgemm>(
      {kTileM, kTileN, kTileK},
      {
          {"sgemm_blocktile", sgemm_blocktile, harness::Promise::same_bits, kThreads},
      });
}
