// Softmax of a vector. The statement is in README.md.
#include <cuda_runtime.h>

// TODO: the maximum, then the sum of the exponentials, then the quotients. What do you do where one
// has to be complete before the next may start?

// input, output: device pointers to N floats each.
extern "C" void solve(const float* input, float* output, int N) {
  // TODO
}
