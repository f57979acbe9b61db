// Products of a row of A with x in packs: four floats each where all of them start on 16 bytes.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Whether x and every row of A start on 16 bytes. If not, a pack is one float.
inline bool rows_are_aligned(const float* a, const float* x, std::size_t k) {
  const auto starts_pack = [](const float* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
  };
  return starts_pack(a) && starts_pack(x) && k * sizeof(float) % sizeof(float4) == 0;
}

// The size of a grid with one block or more per row. A grid has at most 2^31 - 1 blocks. With more,
// the launch fails; a cast alone would wrap, and rows would be left out.
inline unsigned grid_of(std::size_t blocks) {
  return static_cast<unsigned>(std::min<std::size_t>(blocks, 1u << 31));
}

__device__ inline float dot(float a, float x) { return a * x; }
__device__ inline float dot(float4 a, float4 x) {
  return (a.x * x.x + a.y * x.y) + (a.z * x.z + a.w * x.w);
}
