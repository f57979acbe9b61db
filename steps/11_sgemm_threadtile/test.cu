#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/sgemm.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Sgemm>(
      {kTileM, kTileN, kTileK},
      {
          {"sgemm_threadtile", sgemm_threadtile, harness::Promise::same_bits, kThreads},
          {"sgemm_threadtile_float4", sgemm_threadtile_float4, harness::Promise::same_bits,
           kThreads},
      });
}
