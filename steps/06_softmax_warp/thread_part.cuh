// A thread's part of a row, in registers.
#pragma once

#include "exponential.cuh"
#include "part.cuh"

// Replaces the values by exp(value - max), with their own maximum: it is there before the row's,
// and the last factor can make up for it.
template <int kPacks, int kPack>
__device__ Part take_exponentials(float (&part)[kPacks][kPack]) {
  Part own = {kBelowAll, 0.0f};
#pragma unroll
  for (auto& pack : part) {
    for (const float value : pack) own.max = fmaxf(own.max, value);
  }
#pragma unroll
  for (auto& pack : part) {
    for (float& value : pack) own.sum += value = fast_exp(value - own.max);
  }
  return own;
}
