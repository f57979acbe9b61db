// Definitions that the kernels of this step share.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstddef>

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kBlockSize = 256;                 // threads per block, where the row doesn't decide
constexpr int kWarps = kBlockSize / kWarpSize;  // per block
static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");

// A grid has at most 2^31 - 1 blocks in x. If there is more to do, blocks stride over it.
inline unsigned grid_size(std::size_t blocks) {
  return static_cast<unsigned>(std::min<std::size_t>(blocks, INT_MAX));
}

// A thread's sum of many terms. A thread of a long row adds up thousands; a plain float would soon
// be so large that small terms are rounded away, always downwards. Here the part that rounding
// takes from one term goes to the next (W. Kahan, "Further remarks on reducing truncation errors",
// 1965).
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
