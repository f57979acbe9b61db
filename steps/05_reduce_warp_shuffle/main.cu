// 05_reduce_warp_shuffle: the sum of a vector.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/sum.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sum>(
      argc, argv, "05_reduce_warp_shuffle",
      {
          {"reduce_shuffle", reduce_shuffle},
          {"reduce_shuffle_float4", reduce_shuffle_float4},
          {"reduce_grid_stride", reduce_grid_stride},
          {"reduce_two_pass", reduce_two_pass, harness::Promise::same_bits},
          {"reduce_many_blocks", reduce_many_blocks},
          {"reduce_last_block", reduce_last_block, harness::Promise::same_bits},
      });
}
