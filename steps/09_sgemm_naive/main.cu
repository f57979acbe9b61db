// 09_sgemm_naive: a matrix product, a thread for each element of the result.
#include "harness/step.h"
#include "rungs.h"

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep);
}
