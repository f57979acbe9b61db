// The sum of a value over a warp, from register to register.
#pragma once

#include <cuda_runtime.h>

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// The sum of `value` over the warp; valid in lane 0.
__device__ inline float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}
