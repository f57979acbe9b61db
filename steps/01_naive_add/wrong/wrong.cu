// 01_naive_add: known-wrong twins of its kernels, for the checks to find.
#include "adds_to_output.cuh"
#include "harness/step.h"
#include "no_guard.cuh"
#include "off_by_one.cuh"
#include "problem/add.h"
#include "truncated_grid.cuh"

int main(int argc, char** argv) {
  return harness::run_step<problem::Add>(argc, argv, "01_naive_add",
                                         {
                                             {"no_guard", no_guard::add},
                                             {"off_by_one", off_by_one::add},
                                             {"truncated_grid", truncated_grid::add},
                                             {"adds_to_output", adds_to_output::add},
                                         });
}
