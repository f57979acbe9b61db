// As alike.cu: only the compiler finds out that a variable is not a constant.
#include "case.h"

namespace {

struct Quad {
  int value[4];
};
// The array in the object is taken for a pointer to its first element.
__global__ void array_decays(int* out, int*) {
  Quad quad = {};
  int* const first = quad.value;
  first[1] += static_cast<int>(threadIdx.x);
  *(quad.value + 2) += 2 * static_cast<int>(threadIdx.x);
  out[threadIdx.x] = quad.value[1] + quad.value[2];
}

__global__ void one_of_two_counts(int* out, int*) {
  int a = 10, b = 20, sum = 0;
  for (unsigned i = 0; i < 4; ++i) sum += 2 * (i < threadIdx.x ? a : b)++;
  out[threadIdx.x] = sum;
}
// n turns count up a, 4 - n of them b.
int one_of_two_counts_expected(int t) {
  const int n = t < 4 ? t : 4, rest = 4 - n;
  return 2 * (10 * n + n * (n - 1) / 2 + 20 * rest + rest * (rest - 1) / 2);
}

struct Accumulator {
  int& sum;
  int count;
};
__global__ void bound_by_object(int* out, int*) {
  int sum = 0;
  Accumulator accumulator = {sum, 3};
  accumulator.sum += static_cast<int>(threadIdx.x);
  out[threadIdx.x] = sum + accumulator.count;
}

}  // namespace

int main() {
  run_case("array_decays", array_decays, 1, 64, 64, [](int t) { return 3 * t; });
  run_case("one_of_two_counts", one_of_two_counts, 1, 64, 64, one_of_two_counts_expected);
  run_case("bound_by_object", bound_by_object, 1, 64, 64, [](int t) { return t + 3; });
  return result();
}
