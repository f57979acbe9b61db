// 11_sgemm_threadtile: known-wrong twins of its kernels, for the checks to find.
#include "harness/step.h"
#include "misaligned_rows.cuh"
#include "no_padding.cuh"
#include "pad_of_one.cuh"
#include "problem/sgemm.h"
#include "unfinished_tile.cuh"
#include "unguarded_store.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sgemm>(
      argc, argv, "11_sgemm_threadtile",
      {
          {"misaligned_rows", misaligned_rows::sgemm_threadtile_float4},
          {"pad_of_one", pad_of_one::sgemm_threadtile_float4},
          {"no_padding", no_padding::sgemm_threadtile_float4},
          {"unfinished_tile", unfinished_tile::sgemm_threadtile},
          {"unguarded_store", unguarded_store::sgemm_threadtile_float4},
      });
}
