// 09_sgemm_naive: a matrix product, a thread for each element of the result.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/sgemm.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sgemm>(
      argc, argv, "09_sgemm_naive",
      {
          {"sgemm_naive", sgemm_naive, harness::Promise::same_bits, kThreads},
      });
}
