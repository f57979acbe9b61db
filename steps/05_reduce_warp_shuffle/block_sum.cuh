// The sum of a value over a block: by shuffles in each warp, then one value per warp.
#pragma once

#include <cuda_runtime.h>

#include "warp_sum.cuh"

// The sum of `value` over the block; valid in thread 0. Two calls need a barrier between them: the
// first warp may still be reading `partial`.
__device__ inline float block_sum(float value) {
  __shared__ float partial[kWarpSize];  // for as many warps as a block can have
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  value = warp_sum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  const int warps = blockDim.x / kWarpSize;
  if (warp == 0) value = warp_sum(lane < warps ? partial[lane] : 0.0f);
  return value;
}
