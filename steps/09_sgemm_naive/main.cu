// 09_sgemm_naive: a matrix product, one thread per element of the result.
#include "harness/step.h"
#include "rungs.h"

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep);
}
