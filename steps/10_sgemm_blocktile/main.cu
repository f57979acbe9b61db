// 10_sgemm_blocktile: a matrix product, tiles of the inputs shared by a block.
#include "harness/step.h"
#include "rungs.h"

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep);
}
