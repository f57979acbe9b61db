// 02_vectorized_add: two vectors, summed element by element.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/add.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Add>(argc, argv, "02_vectorized_add",
                                         {
                                             {"add_float4", add_float4},
                                             {"add_bulk", add_bulk},
                                         });
}
