// 11_sgemm_threadtile: a matrix product with a tile of C in every thread's registers.
#include "harness/step.h"
#include "rungs.h"

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep);
}
