// Products of a few rows of A and many of B.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Adds the products of kAhead elements of B, `at_once` rows apart from `first` on, whose loads are
// all under way at once; with kPastEnd, only of those up to `last`.
template <int kRows, int kAhead, bool kPastEnd>
__device__ void add_products(const float (*As)[kRows], const float* B, std::size_t ldb, int first,
                             int at_once, int last, float (&sum)[kRows]) {
  const auto row = [&](int i) {
    const int k = first + i * at_once;
    return kPastEnd ? min(k, last) : k;  // past the end, the last one again: no branch
  };
  float b[kAhead];
  for (int i = 0; i < kAhead; ++i) b[i] = __ldcs(B + row(i) * ldb);
  for (int i = 0; i < kAhead; ++i) {
    for (int m = 0; m < kRows; ++m) {
      const float more = sum[m] + As[row(i)][m] * b[i];
      if (!kPastEnd || first + i * at_once <= last) sum[m] = more;
    }
  }
}
