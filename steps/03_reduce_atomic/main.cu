// 03_reduce_atomic: the sum of a vector.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/sum.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sum>(argc, argv, "03_reduce_atomic",
                                         {
                                             {"reduce_atomic", reduce_atomic},
                                         });
}
