// 06_softmax_warp: the softmax of every row of a matrix.
#include "harness/step.h"
#include "rungs.h"

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep);
}
