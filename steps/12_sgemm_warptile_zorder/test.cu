#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/sgemm.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Sgemm>(
      {kTileM, kTileN, kTileK},
      {
          {"sgemm_warptile", sgemm_warptile, harness::Promise::same_bits, kThreads},
          {"sgemm_warptile_zorder", sgemm_warptile_zorder, harness::Promise::same_bits, kThreads},
          {"sgemm_pipelined", sgemm_pipelined, harness::Promise::same_bits, kThreads},
      });
}
