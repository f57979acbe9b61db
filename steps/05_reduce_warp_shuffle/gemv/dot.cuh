// Products of a row of A with x in packs: four floats each where all of them start on 16 bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// Whether x and every row of A start on 16 bytes. If not, a pack is one float.
inline bool rows_are_aligned(const float* a, const float* x, std::size_t k) {
  const auto starts_pack = [](const float* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
  };
  return starts_pack(a) && starts_pack(x) && k * sizeof(float) % sizeof(float4) == 0;
}

__device__ inline float dot(float a, float x) { return a * x; }
__device__ inline float dot(float4 a, float4 x) {
  return (a.x * x.x + a.y * x.y) + (a.z * x.z + a.w * x.w);
}
