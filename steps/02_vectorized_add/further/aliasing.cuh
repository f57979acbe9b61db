// Vector addition, two packs per thread, with and without __restrict__. No rung: it is here for the
// order in which ptxas puts the loads and stores (../../machine_code_test.py).
#pragma once

#include <cuda_runtime.h>

__device__ inline float4 sum_of(float4 u, float4 v) {
  return make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
}

// c may overlap a or b: the second pair of loads has to stay behind the first store.
__global__ void add_two_packs_kernel(const float4* a, const float4* b, float4* c, unsigned packs) {
  const unsigned i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned j = i + blockDim.x;
  if (j >= packs) return;  // packs is a multiple of what a block adds
  c[i] = sum_of(a[i], b[i]);
  c[j] = sum_of(a[j], b[j]);
}

// The same with a promise: what a pointer leads to is reached through that pointer alone.
__global__ void add_two_packs_restrict_kernel(const float4* __restrict__ a,
                                              const float4* __restrict__ b, float4* __restrict__ c,
                                              unsigned packs) {
  const unsigned i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned j = i + blockDim.x;
  if (j >= packs) return;  // packs is a multiple of what a block adds
  c[i] = sum_of(a[i], b[i]);
  c[j] = sum_of(a[j], b[j]);
}
