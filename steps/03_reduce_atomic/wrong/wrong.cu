// 03_reduce_atomic: known-wrong twins of its kernels, for the checks to find.
#include "harness/step.h"
#include "no_guard.cuh"
#include "no_zero.cuh"
#include "overlapping_blocks.cuh"
#include "plain_add.cuh"
#include "problem/sum.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sum>(
      argc, argv, "03_reduce_atomic",
      {
          {"plain_add", plain_add::reduce_atomic},
          {"no_zero", no_zero::reduce_atomic},
          {"no_guard", no_guard::reduce_atomic},
          {"overlapping_blocks", overlapping_blocks::reduce_atomic},
      });
}
