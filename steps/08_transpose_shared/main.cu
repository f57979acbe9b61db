// 08_transpose_shared: the transpose of a matrix.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/transpose.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Transpose>(
      argc, argv, "08_transpose_shared",
      {
          {"transpose_tile", transpose_tile},
          {"transpose_tile_padded", transpose_tile_padded},
          {"transpose_tile_swizzled", transpose_tile_swizzled},
          {"transpose_tile_vectorized", transpose_tile_vectorized},
          {"transpose", transpose},
      });
}
