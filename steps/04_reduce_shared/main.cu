// 04_reduce_shared: the sum of a vector.
#include "harness/step.h"
#include "kernel.cuh"
#include "problem/sum.h"

int main(int argc, char** argv) {
  return harness::run_step<problem::Sum>(argc, argv, "04_reduce_shared",
                                         {
                                             {"reduce_shared", reduce_shared},
                                         });
}
