// 07_transpose_naive: the transpose of a matrix.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/transpose.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Transpose>(
      argc, argv, "07_transpose_naive",
      {
          {"transpose_read_coalesced", transpose_read_coalesced},
          {"transpose_write_coalesced", transpose_write_coalesced},
      });
}
