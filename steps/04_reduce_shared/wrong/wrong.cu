// 04_reduce_shared: known-wrong twins of its kernels, for the checks to find.
#include "barrier_in_both_branches.cuh"
#include "block_of_192.cuh"
#include "dropped_barrier.cuh"
#include "early_return.cuh"
#include "harness/step.h"
#include "problem/sum.h"
#include "tree_too_wide.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sum>(
      argc, argv, "04_reduce_shared",
      {
          {"dropped_barrier", dropped_barrier::reduce_shared},
          {"barrier_in_both_branches", barrier_in_both_branches::reduce_shared},
          {"early_return", early_return::reduce_shared},
          {"tree_too_wide", tree_too_wide::reduce_shared},
          {"block_of_192", block_of_192::reduce_shared},
      });
}
