// 10_sgemm_blocktile: known-wrong twins of its kernels, for the checks to find.
#include "early_return.cuh"
#include "guarded_barrier.cuh"
#include "harness/step.h"
#include "no_first_barrier.cuh"
#include "no_k_guard.cuh"
#include "no_second_barrier.cuh"
#include "problem/sgemm.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sgemm>(
      argc, argv, "10_sgemm_blocktile",
      {
          {"no_first_barrier", no_first_barrier::sgemm_blocktile},
          {"no_second_barrier", no_second_barrier::sgemm_blocktile},
          {"early_return", early_return::sgemm_blocktile},
          {"no_k_guard", no_k_guard::sgemm_blocktile},
          {"guarded_barrier", guarded_barrier::sgemm_blocktile},
      });
}
