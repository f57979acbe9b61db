// 05_reduce_warp_shuffle: known-wrong twins of its kernels, for the checks to find.
#include "freed_too_early.cuh"
#include "half_mask.cuh"
#include "harness/step.h"
#include "lanes_left_out.cuh"
#include "leak.cuh"
#include "no_barrier.cuh"
#include "no_fence.cuh"
#include "problem/sum.h"
#include "shuffle_in_branch.cuh"
#include "too_many_partials.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sum>(
      argc, argv, "05_reduce_warp_shuffle",
      {
          {"half_mask", half_mask::reduce_shuffle},
          {"lanes_left_out", lanes_left_out::reduce_shuffle},
          {"shuffle_in_branch", shuffle_in_branch::reduce_shuffle},
          {"no_barrier", no_barrier::reduce_shuffle},
          {"too_many_partials", too_many_partials::reduce_shuffle},
          {"freed_too_early", freed_too_early::reduce_two_pass},
          {"leak", leak::reduce_two_pass},
          {"no_fence", no_fence::reduce_two_pass},
      });
}
