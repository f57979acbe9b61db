// gemv: the product of a matrix and a vector, a sum a row.
#include "gemv.cuh"
#include "harness/step.h"
#include "problem/gemv.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Gemv>(argc, argv, "gemv",
                                          {
                                              {"gemv_warp", gemv_warp},
                                              {"gemv_warp_float4", gemv_warp_float4},
                                              {"gemv", gemv},
                                          });
}
