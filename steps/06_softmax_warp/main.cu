// 06_softmax_warp: the softmax of every row of a matrix.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/softmax.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Softmax>(argc, argv, "06_softmax_warp",
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
