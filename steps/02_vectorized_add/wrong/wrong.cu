// 02_vectorized_add: known-wrong twins of its kernels, for the checks to find.
#include "harness/step.h"
#include "misaligned_head.cuh"
#include "no_tail.cuh"
#include "no_tail_guard.cuh"
#include "no_wait.cuh"
#include "problem/add.h"
#include "zero_blocks.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Add>(argc, argv, "02_vectorized_add",
                                         {
                                             {"no_tail", no_tail::add_float4},
                                             {"no_tail_guard", no_tail_guard::add_float4},
                                             {"misaligned_head", misaligned_head::add_float4},
                                             {"zero_blocks", zero_blocks::add_float4},
                                             {"no_wait", no_wait::add_bulk},
                                         });
}
