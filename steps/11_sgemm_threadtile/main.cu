// 11_sgemm_threadtile: a matrix product, a tile of the result in every thread's registers.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/sgemm.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sgemm>(
      argc, argv, "11_sgemm_threadtile",
      {
          {"sgemm_threadtile", sgemm_threadtile, harness::Promise::same_bits, kThreads},
          {"sgemm_threadtile_float4", sgemm_threadtile_float4, harness::Promise::same_bits,
           kThreads},
      });
}
