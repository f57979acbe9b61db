// 12_sgemm_warptile_zorder: known-wrong twins of its kernels, for the checks to find.
#include "always_second.cuh"
#include "copies_before_barrier.cuh"
#include "harness/step.h"
#include "missing_bit.cuh"
#include "no_barrier.cuh"
#include "no_commit.cuh"
#include "overwritten_stage.cuh"
#include "problem/sgemm.h"
#include "waits_for_too_few.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sgemm>(
      argc, argv, "12_sgemm_warptile_zorder",
      {
          {"waits_for_too_few", waits_for_too_few::sgemm_pipelined},
          {"no_commit", no_commit::sgemm_pipelined},
          {"no_barrier", no_barrier::sgemm_pipelined},
          {"overwritten_stage", overwritten_stage::sgemm_pipelined},
          {"copies_before_barrier", copies_before_barrier::sgemm_pipelined},
          {"missing_bit", missing_bit::sgemm_warptile_zorder},
          {"always_second", always_second::sgemm_tuned},
      });
}
