// 08_transpose_shared: known-wrong twins of its kernels, for the checks to find.
#include "dropped_barrier.cuh"
#include "early_return.cuh"
#include "harness/step.h"
#include "last_segment.cuh"
#include "no_padding.cuh"
#include "one_sided_swizzle.cuh"
#include "problem/transpose.h"
#include "strided_store.cuh"
#include "unaligned_rows.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Transpose>(
      argc, argv, "08_transpose_shared",
      {
          {"dropped_barrier", dropped_barrier::transpose_tile},
          {"no_padding", no_padding::transpose_tile_padded},
          {"one_sided_swizzle", one_sided_swizzle::transpose_tile_swizzled},
          {"early_return", early_return::transpose_tile},
          {"unaligned_rows", unaligned_rows::transpose_tile_vectorized},
          {"last_segment", last_segment::transpose},
          {"strided_store", strided_store::transpose_tile},
      });
}
