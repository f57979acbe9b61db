// A row that may start anywhere, in 128-bit packs: its packs do start on 16 bytes.
#pragma once

#include "packs.cuh"

// Elements by which `p` lies behind a multiple of 16 bytes.
__host__ __device__ inline unsigned misalignment(const float* p) {
  return static_cast<unsigned>(reinterpret_cast<std::size_t>(p) % sizeof(float4) / sizeof(float));
}

// The i-th four elements of a row that lies from `begin` to `end`, counted from a multiple of 16
// bytes: with 128 bits where all four are the row's. If kAligned, all or none are.
template <bool kAligned>
__device__ void load_span(const float* from, unsigned begin, unsigned end, unsigned i,
                          float* pack) {
  if (4 * i >= begin && 4 * i + 4 <= end) {
    load_pack<4>(from, i, pack);
  } else if constexpr (!kAligned) {
    for (unsigned k = 0; k < 4; ++k) {
      if (4 * i + k >= begin && 4 * i + k < end) pack[k] = from[4 * i + k];
    }
  }
}

template <bool kAligned>
__device__ void store_span(float* to, unsigned begin, unsigned end, unsigned i, const float* pack) {
  if (4 * i >= begin && 4 * i + 4 <= end) {
    store_pack<4>(to, i, pack);
  } else if constexpr (!kAligned) {
    for (unsigned k = 0; k < 4; ++k) {
      if (4 * i + k >= begin && 4 * i + k < end) to[4 * i + k] = pack[k];
    }
  }
}
