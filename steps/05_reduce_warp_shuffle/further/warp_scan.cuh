// The sums of a warp's values up to each lane: a scan, from register to register.
#pragma once

#include <cuda_runtime.h>

#include "../warp_sum.cuh"

// The sum of the `value`s of lanes 0 to this one.
__device__ inline float warp_scan(float value) {
  const unsigned lane = threadIdx.x % kWarpSize;
  for (unsigned distance = 1; distance < kWarpSize; distance *= 2) {
    const float left = __shfl_up_sync(kAllLanes, value, distance);  // outside the if: all lanes
    if (lane >= distance) value += left;
  }
  return value;
}
