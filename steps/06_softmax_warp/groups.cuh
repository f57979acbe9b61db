// Reductions over a warp, or over groups of neighboring lanes, by shuffles.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#include "rows.cuh"

// Over each group of kLanes neighboring lanes: in every round a lane takes over the result of the
// lane whose number differs in one bit, so that all of them end with the same. All 32 lanes of the
// warp have to call these. kLanes: 1, 2, 4, 8, 16 or 32.
template <int kLanes>
__device__ float group_max(float value) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, half));
  }
  return value;
}

template <int kLanes>
__device__ float group_sum(float value) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, half);
  }
  return value;
}
