// 128-bit loads from a vector that may start anywhere.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

constexpr int kPack = 4;  // floats of a 128-bit access

// Floats from p to the next 16-byte boundary, where 128-bit accesses may start.
__device__ inline std::size_t floats_to_boundary(const float* p) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(p) / sizeof(float) % kPack;
  return (kPack - past) % kPack;
}

__device__ inline float pack_sum(float4 v) { return (v.x + v.y) + (v.z + v.w); }
