// 10_sgemm_blocktile: a matrix product whose blocks share tiles of the inputs.
#include "harness/step.h"
#include "rungs.h"

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep);
}
