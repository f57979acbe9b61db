#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/add.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Add>({kTile}, {
                                                      {"add_float4", add_float4},
                                                  });
  harness::check_all_sizes<problem::Add>({kBulkTile}, {
                                                          {"add_bulk", add_bulk},
                                                      });
}
