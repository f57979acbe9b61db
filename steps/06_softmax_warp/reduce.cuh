// Largest value and sum: of a thread's terms, of a group of lanes, and of a block.
#pragma once

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// A thread's sum of many terms. A lane of a long row adds up thousands; a plain float would soon be
// so large that small terms are rounded away, always downwards. Here what rounding takes from one
// term goes to the next (W. Kahan, "Further remarks on reducing truncation errors", 1965).
struct LongSum {
  float value;
  float excess;  // of value over the true sum
};

__device__ inline void add_term(LongSum& sum, float term) {
  const float wanted = term - sum.excess;
  const float value = sum.value + wanted;
  sum.excess = (value - sum.value) - wanted;
  sum.value = value;
}

// Over each group of kLanes neighbouring lanes: in every round a lane takes over the result of the
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

// Of several values each: the shuffles of one do not wait for those of another.
template <int kLanes, int kCount>
__device__ void group_max(float (&values)[kCount]) {
#pragma unroll
  for (int half = kLanes / 2; half > 0; half /= 2) {
#pragma unroll
    for (float& value : values) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, half));
  }
}

template <int kLanes, int kCount>
__device__ void group_sum(float (&values)[kCount]) {
#pragma unroll
  for (int half = kLanes / 2; half > 0; half /= 2) {
#pragma unroll
    for (float& value : values) value += __shfl_xor_sync(kAllLanes, value, half);
  }
}

// Over a block of whole warps: every warp leaves its result in `partial`, an array in shared
// memory, and after one barrier every warp reduces what all of them left; every thread gets the
// result. `partial` may be written again only behind another barrier of the block: until then some
// warp may still read it.
__device__ inline float block_max(float value, float (&partial)[kWarpSize]) {
  const int lane = threadIdx.x % kWarpSize;
  value = group_max<kWarpSize>(value);
  if (lane == 0) {
    partial[threadIdx.x / kWarpSize] = value;
  }
  __syncthreads();
  const int warps = blockDim.x / kWarpSize;
  return group_max<kWarpSize>(lane < warps ? partial[lane] : -INFINITY);
}

__device__ inline float block_sum(float value, float (&partial)[kWarpSize]) {
  const int lane = threadIdx.x % kWarpSize;
  value = group_sum<kWarpSize>(value);
  if (lane == 0) {
    partial[threadIdx.x / kWarpSize] = value;
  }
  __syncthreads();
  const int warps = blockDim.x / kWarpSize;
  return group_sum<kWarpSize>(lane < warps ? partial[lane] : 0.0f);
}

// What is known of a part of a row. Two such parts have different maxima, so their sums are brought
// to a common one before they are added.
struct alignas(8) Part {
  float max;
  float sum;  // of exp(x - max)
};

// The maximum of nothing. Not -INFINITY: the difference of two infinities is NaN, and a row may
// well hold them.
constexpr float kBelowAll = -FLT_MAX;

__device__ inline Part merge(Part a, Part b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

template <int kLanes>
__device__ Part group_merge(Part part) {
  const float max = group_max<kLanes>(part.max);
  return {max, group_sum<kLanes>(part.sum * expf(part.max - max))};
}

// As block_max and block_sum, with one barrier for both.
__device__ inline Part block_merge(Part part, Part (&partial)[kWarpSize]) {
  const int lane = threadIdx.x % kWarpSize;
  part = group_merge<kWarpSize>(part);
  if (lane == 0) {
    partial[threadIdx.x / kWarpSize] = part;
  }
  __syncthreads();
  const int warps = blockDim.x / kWarpSize;
  return group_merge<kWarpSize>(lane < warps ? partial[lane] : Part{kBelowAll, 0.0f});
}
