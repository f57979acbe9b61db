// Approximate functions in one instruction: PTX ISA, "Floating-Point Instructions": ex2.approx.ftz
// and rcp.approx.ftz. Results below the least normal float come out as zero. On the CPU, the exact
// functions.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

// 2^x, to two units in the last place.
__device__ inline float approximate_exp2(float x) {
#if defined(__CUDA_ARCH__) && !defined(__CUCPU__)
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return exp2f(x);
#endif
}

// 1 / x, to one unit in the last place.
__device__ inline float approximate_reciprocal(float x) {
#if defined(__CUDA_ARCH__) && !defined(__CUCPU__)
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  return reciprocal;
#else
  return 1.0f / x;
#endif
}
