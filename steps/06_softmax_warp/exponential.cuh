// The exponential and the reciprocal, for kernels that are fast enough to notice it.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

// exp(x) in two instructions: a product, and the power of two that the hardware computes. expf
// takes eight, to make up for what is rounded off the product: here the relative error grows with
// x, to about eps |x|. Results below the least normal float come out as zero.
__device__ inline float fast_exp(float x) {
  constexpr float kLog2E = 1.44269504f;
#ifdef __CUDA_ARCH__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * kLog2E));
  return power;
#else
  return exp2f(x * kLog2E);
#endif
}

// 1 / x in one instruction, to one unit in the last place. Results below the least normal float
// come out as zero.
__device__ inline float fast_reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  return reciprocal;
#else
  return 1.0f / x;
#endif
}
