// The part of a row that a lane has in registers: every kLanes-th pack, kFloats in all.
#pragma once

#include "groups.cuh"
#include "packs.cuh"

template <int kLanes, int kPack, int kFloats>
__device__ void load_part(const float* row, unsigned packs, float (&part)[kFloats]) {
#pragma unroll
  for (int i = 0; i < kFloats; i += kPack) {
    const unsigned pack = i / kPack * kLanes + threadIdx.x % kLanes;
    for (int k = i; k < i + kPack; ++k) part[k] = -INFINITY;
    if (pack < packs) load_pack<kPack>(row, pack, &part[i]);
  }
}

template <int kLanes, int kPack, int kFloats>
__device__ void store_part(float* row, unsigned packs, const float (&part)[kFloats]) {
#pragma unroll
  for (int i = 0; i < kFloats; i += kPack) {
    const unsigned pack = i / kPack * kLanes + threadIdx.x % kLanes;
    if (pack < packs) store_pack<kPack>(row, pack, &part[i]);
  }
}
