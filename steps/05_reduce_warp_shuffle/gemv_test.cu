#include "gemv.cuh"
#include "harness/step_test.h"
#include "problem/gemv.h"

constexpr int kRowsOfBlock = 4 * kWarps;  // short ones, of which it takes most

TEST_CASE("every variant is right at every size") {
  constexpr int kColumns = kBlockSize * kPack;
  harness::check_all_sizes<problem::Gemv>({kRowsOfBlock, kColumns},
                                          {
                                              {"gemv_warp", gemv_warp},
                                              {"gemv_warp_float4", gemv_warp_float4},
                                              {"gemv", gemv},
                                          });
}

TEST_CASE("gemv is right with each number of threads for a row") {
  for (const int threads : {kWarpSize, 256, 512}) {
    harness::check_all_sizes<problem::Gemv>({kRowsOfBlock, 8 * threads}, {{"gemv", gemv}});
  }
}
