// 06_softmax_warp: known-wrong twins of its kernels, for the checks to find.
#include "bytes_of_packs.cuh"
#include "harness/step.h"
#include "maximum_from_zero.cuh"
#include "merge_early.cuh"
#include "no_maximum.cuh"
#include "no_syncwarp.cuh"
#include "one_partial.cuh"
#include "problem/softmax.h"
#include "short_rows_return.cuh"
#include "unwritten_partials.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Softmax>(
      argc, argv, "06_softmax_warp",
      {
          {"no_syncwarp", no_syncwarp::softmax_warp_shared},
          {"no_maximum", no_maximum::softmax_warp_shuffle},
          {"bytes_of_packs", bytes_of_packs::launch_softmax_block<4>},
          {"unwritten_partials", unwritten_partials::launch_softmax_block<1>},
          {"one_partial", one_partial::launch_softmax_block<1>},
          {"merge_early", merge_early::softmax_cluster},
          {"short_rows_return", short_rows_return::softmax_warp_shuffle},
          {"maximum_from_zero", maximum_from_zero::softmax_three_kernels},
      });
}
