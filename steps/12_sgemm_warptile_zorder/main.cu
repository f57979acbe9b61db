// 12_sgemm_warptile_zorder: a matrix product, every warp and every lane in its place.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/sgemm.h"
#include "tune.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sgemm>(
      argc, argv, "12_sgemm_warptile_zorder",
      {
          {"sgemm_warptile", sgemm_warptile, harness::Promise::same_bits, kThreads},
          {"sgemm_warptile_zorder", sgemm_warptile_zorder, harness::Promise::same_bits, kThreads},
          {"sgemm_pipelined", sgemm_pipelined, harness::Promise::same_bits, kThreads},
          {"sgemm_tuned", sgemm_tuned, harness::Promise::same_bits},
      },
      {{"--tune", "measure which tiles suit this GPU", tune}});
}
