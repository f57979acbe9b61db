// Reductions over a block of whole warps: every warp leaves its result in `partial`, an array in
// shared memory, and after one barrier every warp reduces what all of them left. `partial` may be
// written again only behind another barrier: until then some warp may still read it.
#pragma once

#include <cuda_runtime.h>

#include "groups.cuh"

template <class T, class WarpReduce>
__device__ T block_reduce(T value, T neutral, T (&partial)[kWarpSize], WarpReduce warp_reduce) {
  const unsigned lane = threadIdx.x % kWarpSize;
  value = warp_reduce(value);
  if (lane == 0) partial[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  return warp_reduce(lane < blockDim.x / kWarpSize ? partial[lane] : neutral);
}

__device__ inline float block_max(float value, float (&partial)[kWarpSize]) {
  return block_reduce(value, -INFINITY, partial, group_max<kWarpSize>);
}

__device__ inline float block_sum(float value, float (&partial)[kWarpSize]) {
  return block_reduce(value, 0.0f, partial, group_sum<kWarpSize>);
}
