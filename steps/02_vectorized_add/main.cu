// 02_vectorized_add: two vectors, summed element by element.
#include "harness/step.h"
#include "rungs.h"

int main(int argc, char** argv) {
  return harness::run_step(argc, argv, kStep);
}
