// Stores a tile, whole or in part.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../sum4.cuh"

// How many rows and columns of a tile lie between a thread's first float4 and its i-th.
template <class Tile>
__device__ int2 float4_offset(int i) {
  const int m = i / (Tile::TN / 4), n = i % (Tile::TN / 4);
  return {m / 4 * Tile::kStepM + m % 4, n * Tile::kStepN};
}

// Four neighbors, one by one: p is any float's address.
__device__ inline void store_floats(float* p, const float4& v) {
  p[0] = v.x, p[1] = v.y, p[2] = v.z, p[3] = v.w;
}

// Nothing is added to the sums.
struct NoParts {
  template <int kBatch>
  __device__ void operator()(int, int, int, float4 (&)[kBatch]) const {}
};

// Epilogue: stores this thread's part of a tile, times one, but not the rows above nor the columns
// left, whose number is a multiple of 4. kRows rows from kBegin on go to other registers, where
// `add` may add to them; then more rows at a time, in the registers that have become free. A dense
// tile takes few instructions: they run once per tile, so each of them has to be fetched again.
template <class Tile, int kBegin = 0, int kRows = 2, class Add = NoParts>
__device__ void panel_epilogue(const float (&sum)[Tile::TM][Tile::TN], float one, float* to,
                               int pitch, int above, int left, int row, int col,
                               const Add& add = {}) {
  constexpr int kAcross = Tile::TN / 4, kBatch = kRows * kAcross, kFirst = kBegin * kAcross;
  const bool dense = above == 0 && left == 0 && pitch % 4 == 0 &&
                     reinterpret_cast<std::uintptr_t>(to) % sizeof(float4) == 0;
  // Unsigned: with signs to extend, ptxas runs out of registers.
  float* const own = to + (unsigned(row) * std::size_t(pitch) + unsigned(col));
  float4 v[kBatch];
#pragma unroll
  for (int i = 0; i < kBatch; ++i) {
    const float* const s = &sum[kBegin + i / kAcross][i % kAcross * 4];
    v[i] = make_float4(s[0] * one, s[1] * one, s[2] * one, s[3] * one);
  }
  add(kFirst, row, col, v);
#pragma unroll
  for (int i = 0; i < kBatch; i += kAcross) {
    const int r = float4_offset<Tile>(kFirst + i).x;
    float* const at = own + r * std::size_t(pitch);
#pragma unroll
    for (int n = 0; n < kAcross; ++n) {
      if (dense) __stwb(reinterpret_cast<float4*>(at + n * Tile::kStepN), v[i + n]);
    }
    if (dense || row + r < above) continue;
#pragma unroll
    for (int n = 0; n < kAcross; ++n) {
      if (col + n * Tile::kStepN >= left) store_floats(at + n * Tile::kStepN, v[i + n]);
    }
  }
  constexpr int kRest = Tile::TM - kBegin - kRows, kNext = kRest < 8 ? kRest : 4;
  if constexpr (kRest > 0) {
    panel_epilogue<Tile, kBegin + kRows, kNext>(sum, one, to, pitch, above, left, row, col, add);
  }
}
