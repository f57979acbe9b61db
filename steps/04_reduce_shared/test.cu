#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/sum.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Sum>({kTile}, {
                                                      {"reduce_shared", reduce_shared},
                                                  });
}
