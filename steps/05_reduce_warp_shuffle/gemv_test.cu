#include "gemv.cuh"
#include "harness/step_test.h"
#include "problem/gemv.h"

// The elements that a block takes of a row at a time, and the rows of a block.
constexpr int kColumns = kBlockSize * kPack;
constexpr int kRowsOfBlock = 4 * kWarps;

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Gemv>({kRowsOfBlock, kColumns},
                                          {
                                              {"gemv_warp", gemv_warp},
                                              {"gemv_warp_float4", gemv_warp_float4},
                                              {"gemv", gemv},
                                          });
}
