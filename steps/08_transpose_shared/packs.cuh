// Packs of floats that one access moves: four of them are 128 bits.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

template <int kPack>
using Pack = std::conditional_t<kPack == 4, float4, float>;

// Whether every row of a row-major matrix starts on 16 bytes.
inline bool rows_are_aligned(const float* matrix, std::size_t cols) {
  return reinterpret_cast<std::uintptr_t>(matrix) % sizeof(float4) == 0 && cols % 4 == 0;
}
