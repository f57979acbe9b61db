// Four neighboring elements at a time: adds parts of them, and stores them.
#pragma once

#include "store4.cuh"

// `part` is a multiple of 16 bytes.
__device__ inline void add4(float4& sum, const float* part) {
  const float4 v = *reinterpret_cast<const float4*>(part);
  sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
}

// Writes elements `begin` to `end` - 1 of `sum` to p; they may lie outside of its four.
__device__ inline void store4(float* p, const float4& sum, int begin, int end) {
  const float elements[] = {sum.x, sum.y, sum.z, sum.w};
  if (begin <= 0) return store4(p, elements, end);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i >= begin && i < end) p[i] = elements[i];
  }
}
