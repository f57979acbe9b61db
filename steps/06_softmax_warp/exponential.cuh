// exp(x) in two instructions: a product, and a power of two by the hardware. expf takes eight, to
// make up for what is rounded off the product: here the relative error is about eps |x|.
#pragma once

#include "../instructions/approximate_math.cuh"

__device__ inline float fast_exp(float x) {
  constexpr float kLog2E = 1.44269504f;
  return approximate_exp2(x * kLog2E);
}
