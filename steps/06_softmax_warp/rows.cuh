// How the kernels of this step get at rows: in packs, and in grids of any number of rows.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>

// The i-th pack of an array: one float, or four with a 128-bit access.
template <int kPack>
__device__ void load_pack(const float* from, std::size_t i, float (&pack)[kPack]) {
  if constexpr (kPack == 4) {
    const float4 four = reinterpret_cast<const float4*>(from)[i];
    pack[0] = four.x;
    pack[1] = four.y;
    pack[2] = four.z;
    pack[3] = four.w;
  } else {
    static_assert(kPack == 1, "float or float4");
    pack[0] = from[i];
  }
}

template <int kPack>
__device__ void store_pack(float* to, std::size_t i, const float (&pack)[kPack]) {
  if constexpr (kPack == 4) {
    reinterpret_cast<float4*>(to)[i] = make_float4(pack[0], pack[1], pack[2], pack[3]);
  } else {
    static_assert(kPack == 1, "float or float4");
    to[i] = pack[0];
  }
}

// Whether every row of both matrices starts on 16 bytes and is made of whole packs of four.
inline bool rows_are_aligned(const float* x, const float* y, std::size_t cols) {
  return reinterpret_cast<std::uintptr_t>(x) % sizeof(float4) == 0 &&
         reinterpret_cast<std::uintptr_t>(y) % sizeof(float4) == 0 && cols % 4 == 0;
}

// A grid has at most 2^31 - 1 blocks in x. Where there is more to do, blocks stride over it.
inline unsigned grid_size(std::size_t blocks) {
  return static_cast<unsigned>(std::min<std::size_t>(blocks, INT_MAX));
}
