// Reductions of several rows per group of lanes: the shuffles of one don't wait for those of
// another.
#pragma once

#include "exponential.cuh"
#include "groups.cuh"

template <int kLanes, int kRows, int kFloats>
__device__ void max_of_rows(const float (&part)[kRows][kFloats], float (&max)[kRows]) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    max[r] = -INFINITY;
    for (const float value : part[r]) max[r] = fmaxf(max[r], value);
  }
#pragma unroll
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (float& value : max) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, half));
  }
}

// Replaces the values of a row by exp(value - max), and adds them up.
template <int kLanes, int kRows, int kFloats>
__device__ void sum_of_rows(float (&part)[kRows][kFloats], const float (&max)[kRows],
                            float (&sum)[kRows]) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    sum[r] = 0.0f;
    for (float& value : part[r]) sum[r] += value = fast_exp(value - max[r]);
  }
#pragma unroll
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (float& value : sum) value += __shfl_xor_sync(kAllLanes, value, half);
  }
}
