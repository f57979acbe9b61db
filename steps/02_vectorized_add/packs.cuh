// 128-bit accesses to a vector that may start anywhere: where they begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

constexpr int kPack = 4;  // floats of a 128-bit access

// Floats from p to the next 16-byte boundary, where 128-bit accesses may start.
inline std::size_t floats_to_boundary(const float* p) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(p) / sizeof(float) % kPack;
  return (kPack - past) % kPack;
}

// Elements before the first pack. No head suits vectors that reach a boundary at different indices:
// then all n elements are head.
inline std::size_t head_elements(const float* a, const float* b, const float* c, std::size_t n) {
  const std::size_t head = floats_to_boundary(a);
  if (floats_to_boundary(b) != head || floats_to_boundary(c) != head) return n;
  return std::min(head, n);
}
