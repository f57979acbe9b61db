// Four floats at a time, from global memory and from shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// The first `count` of the four floats at p, zeros in place of the others. Nothing past them is
// read; a 128-bit load needs all four, at a multiple of 16 bytes.
__device__ inline float4 load4(const float* p, int count) {
  if (count >= 4 && reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0) {
    return *reinterpret_cast<const float4*>(p);
  }
  return make_float4(count > 0 ? p[0] : 0.0f, count > 1 ? p[1] : 0.0f,  //
                     count > 2 ? p[2] : 0.0f, count > 3 ? p[3] : 0.0f);
}

// Reads four floats at once; `from` is a multiple of 16 bytes.
__device__ inline void copy4(float* to, const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
  to[3] = v.w;
}
