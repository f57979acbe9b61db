// Maximum and sum of a part of a row, kept together.
#pragma once

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>

#include "block.cuh"

// Two parts have different maxima, so their sums are brought to a common one before they are added.
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
  return block_reduce(part, {kBelowAll, 0.0f}, partial, group_merge<kWarpSize>);
}
