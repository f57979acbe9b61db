// Multiply-accumulate in the order that suits the reuse cache.
#pragma once

// Adds the outer product of a and b to sum, columns 0...7, then 7...0: at each turn one operand
// stays in the reuse cache.
template <int TM, int TN>
__device__ void multiply_turning(const float (&a)[TM], const float (&b)[TN], float (&sum)[TM][TN]) {
#pragma unroll
  for (int m = 0; m < TM; ++m) {
#pragma unroll
    for (int i = 0; i < TN; ++i) {
      const int n = m % 2 == 0 ? i : TN - 1 - i;
      sum[m][n] += a[m] * b[n];
    }
  }
}
