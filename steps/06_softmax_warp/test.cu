#include "harness/step_test.h"
#include "kernel.cuh"
#include "problem/softmax.h"

TEST_CASE("every variant is right at every size") {
  harness::check_all_sizes<problem::Softmax>({kTile},
                                             {
                                                 {"softmax_three_kernels", softmax_three_kernels},
                                                 {"softmax_warp_shared", softmax_warp_shared},
                                                 {"softmax_warp_shuffle", softmax_warp_shuffle},
                                                 {"softmax_warp_packed", softmax_warp_packed},
                                                 {"softmax_block", softmax_block},
                                                 {"softmax_online", softmax_online},
                                                 {"softmax_cluster", softmax_cluster},
                                                 {"softmax", softmax},
                                             });
}
