// 10_sgemm_blocktile: a matrix product, tiles of the inputs shared by a block.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/sgemm.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sgemm>(
      argc, argv, "10_sgemm_blocktile",
      {
          {"sgemm_blocktile", sgemm_blocktile, harness::Promise::same_bits, kThreads},
      });
}
