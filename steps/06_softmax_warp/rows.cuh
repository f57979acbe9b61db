// How the kernels of this step get at rows: in packs, and in grids of any number of rows.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>

// The i-th pack of an array: one float, or four with a 128-bit access. kLeaveFirst: what is read
// is the first to leave the caches.
template <bool kLeaveFirst = false, int kPack>
__device__ void load_pack(const float* from, std::size_t i, float (&pack)[kPack]) {
  if constexpr (kPack == 4) {
    const auto fours = reinterpret_cast<const float4*>(from) + i;
    const float4 four = kLeaveFirst ? __ldcs(fours) : *fours;
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

// Of a row that may start anywhere: where its elements lie, counted from a multiple of 16 bytes at
// or just before its first one.
struct Span {
  unsigned begin;  // 0..3
  unsigned end;
};

// The i-th four elements, with 128 bits where all four are the row's. If kAligned, all or none are.
template <bool kAligned>
__device__ void load_span(const float* from, Span row, unsigned i, float (&pack)[4]) {
  const unsigned first = 4 * i;
  if (first >= row.begin && first + 4 <= row.end) {
    load_pack(from, i, pack);
  } else if constexpr (!kAligned) {
    for (unsigned k = 0; k < 4; ++k) {
      if (first + k >= row.begin && first + k < row.end) pack[k] = from[first + k];
    }
  }
}

template <bool kAligned>
__device__ void store_span(float* to, Span row, unsigned i, const float (&pack)[4]) {
  const unsigned first = 4 * i;
  if (first >= row.begin && first + 4 <= row.end) {
    store_pack(to, i, pack);
  } else if constexpr (!kAligned) {
    for (unsigned k = 0; k < 4; ++k) {
      if (first + k >= row.begin && first + k < row.end) to[first + k] = pack[k];
    }
  }
}

// Elements by which `p` lies behind a multiple of 16 bytes.
__host__ __device__ inline unsigned misalignment(const float* p) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) /
                               sizeof(float));
}

// Has the L2 cache fetch what will be wanted soon, in whole packs of four. One thread asks for all
// of it; from compute capability 9.0 on.
__device__ inline void prefetch([[maybe_unused]] const float* first,
                                [[maybe_unused]] unsigned count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const float* const aligned = first - misalignment(first);
  const unsigned bytes = count / 4 * sizeof(float4);
  if (bytes > 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(aligned), "r"(bytes));
  }
#endif
}

// Whether every row of both matrices starts on 16 bytes and is made of whole packs of four.
inline bool rows_are_aligned(const float* x, const float* y, std::size_t cols) {
  return misalignment(x) == 0 && misalignment(y) == 0 && cols % 4 == 0;
}

// A grid has at most 2^31 - 1 blocks in x. Where there is more to do, blocks stride over it.
inline unsigned grid_size(std::size_t blocks) {
  return static_cast<unsigned>(std::min<std::size_t>(blocks, INT_MAX));
}

inline int current_device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, attribute, device);
  return value;
}

inline int multiprocessors() { return current_device_attribute(cudaDevAttrMultiProcessorCount); }

// The most that the current device can run at once.
inline std::size_t resident_threads() {
  const int of_one = current_device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  return static_cast<std::size_t>(multiprocessors()) * of_one;
}
