// The i-th pack of an array: one float, or four with a 128-bit access.
#pragma once

#include <cuda_runtime.h>

template <int kPack>
__device__ void load_pack(const float* from, std::size_t i, float* pack) {
  if constexpr (kPack == 1) {
    pack[0] = from[i];
  } else {
    const float4 four = reinterpret_cast<const float4*>(from)[i];
    pack[0] = four.x, pack[1] = four.y, pack[2] = four.z, pack[3] = four.w;
  }
}

template <int kPack>
__device__ void store_pack(float* to, std::size_t i, const float* pack) {
  if constexpr (kPack == 1) {
    to[i] = pack[0];
  } else {
    reinterpret_cast<float4*>(to)[i] = make_float4(pack[0], pack[1], pack[2], pack[3]);
  }
}

// Whether every row of both matrices starts on 16 bytes and is made of whole packs of four.
inline bool rows_are_aligned(const float* x, const float* y, std::size_t cols) {
  const auto addresses = reinterpret_cast<std::size_t>(x) | reinterpret_cast<std::size_t>(y);
  return addresses % sizeof(float4) == 0 && cols % 4 == 0;
}
