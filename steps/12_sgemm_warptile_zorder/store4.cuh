// Four floats at a time, from registers to global memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// Writes the first `count` of the four floats at `from` to p. With a plain assignment nvcc may see
// through the float4 and make it four stores; __stwb, the ordinary store by its name, stays one.
__device__ inline void store4(float* p, const float* from, int count) {
  if (count >= 4 && reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0) {
    __stwb(reinterpret_cast<float4*>(p), make_float4(from[0], from[1], from[2], from[3]));
    return;
  }
  for (int i = 0; i < 4; ++i) {
    if (i < count) p[i] = from[i];
  }
}
