// y = A x: each element of y is a sum, of the products of a row with x. A is (m, k), row-major.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../kernel.cuh"

// [gemv_warp]
// A warp a row: its lanes walk along the row side by side, and then add up what they have.
__global__ void gemv_warp_kernel(const float* a, const float* x, float* y, std::size_t m,
                                 std::size_t k) {
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarpSize;
  const std::size_t lane = threadIdx.x % kWarpSize;
  if (row >= m) return;  // the whole warp
  float sum = 0.0f;
  for (std::size_t i = lane; i < k; i += kWarpSize) sum += a[row * k + i] * x[i];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

inline void gemv_warp(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                      cudaStream_t stream) {
  if (m == 0) return;
  const auto blocks = static_cast<unsigned>((m + kWarps - 1) / kWarps);
  gemv_warp_kernel<<<blocks, kBlockSize, 0, stream>>>(a, x, y, m, k);
}
// [gemv_warp]

// Whether x and every row of A start on 16 bytes. Where not, rows are walked float by float.
inline bool rows_are_aligned(const float* a, const float* x, std::size_t k) {
  const auto starts_pack = [](const float* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
  };
  return starts_pack(a) && starts_pack(x) && k % kPack == 0;
}

__device__ inline float dot(float a, float x) { return a * x; }
__device__ inline float dot(float4 a, float4 x) {
  return (a.x * x.x + a.y * x.y) + (a.z * x.z + a.w * x.w);
}

// [gemv_warp_float4]
__global__ void gemv_warp_float4_kernel(const float* a, const float* x, float* y, std::size_t m,
                                        std::size_t k) {
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarpSize;
  const std::size_t lane = threadIdx.x % kWarpSize;
  if (row >= m) return;  // the whole warp
  const float4* const row_packs = reinterpret_cast<const float4*>(a + row * k);
  const float4* const x_packs = reinterpret_cast<const float4*>(x);
  float sum = 0.0f;
  for (std::size_t i = lane; i < k / kPack; i += kWarpSize) sum += dot(row_packs[i], x_packs[i]);
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

inline void gemv_warp_float4(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                             cudaStream_t stream) {
  if (!rows_are_aligned(a, x, k)) return gemv_warp(a, x, y, m, k, stream);
  if (m == 0) return;
  const auto blocks = static_cast<unsigned>((m + kWarps - 1) / kWarps);
  gemv_warp_float4_kernel<<<blocks, kBlockSize, 0, stream>>>(a, x, y, m, k);
}
// [gemv_warp_float4]

// [gemv]
// Threads of a block, where kThreads go together.
template <int kThreads>
constexpr int kGemvBlock = kThreads == kWarpSize ? kBlockSize : kThreads;

// kThreads threads, a warp or a block, take kRows rows at once, so that a pack of x that a thread
// has loaded serves kRows times. Each thread asks for kRows * kAhead packs of A before it needs
// one. No element of A is read again; __ldcs says so, and leaves the caches to x.
template <class Pack, int kThreads, int kRows, int kAhead>
__global__ void __launch_bounds__(kGemvBlock<kThreads>)
    gemv_kernel(const float* a, const float* x, float* y, std::size_t m, std::size_t k) {
  static_assert(kRows <= kWarpSize, "a warp stores the results");
  constexpr int kBlock = kGemvBlock<kThreads>;
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // in a row
  const std::size_t group = (std::size_t{blockIdx.x} * kBlock + threadIdx.x) / kThreads;
  const std::size_t first_row = group * kRows;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  const Pack* rows[kRows];
  for (int r = 0; r < kRows; ++r) {
    // Where the matrix ends, its last row is read again, and nothing is made of it.
    rows[r] = reinterpret_cast<const Pack*>(a) + min(first_row + r, m - 1) * packs;
  }

  float sums[kRows] = {};
#pragma unroll 1  // what is under way at once is for kAhead to say
  for (std::size_t first = threadIdx.x % kThreads; first < packs; first += kAhead * kThreads) {
    Pack v[kAhead][kRows] = {};
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kThreads;
      for (int r = 0; r < kRows; ++r) {
        if (i < packs) v[ahead][r] = __ldcs(rows[r] + i);
      }
    }
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kThreads;
      const Pack of_x = i < packs ? x_packs[i] : Pack{};
      for (int r = 0; r < kRows; ++r) sums[r] += dot(v[ahead][r], of_x);
    }
  }

  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  __shared__ float partial[kRows][kBlock / kWarpSize];
  for (int r = 0; r < kRows; ++r) {
    const float sum = warp_sum(sums[r]);
    if (lane == 0) partial[r][warp] = sum;
  }
  if constexpr (kThreads > kWarpSize) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  if (threadIdx.x % kThreads < kRows && first_row + lane < m) {  // a lane a row
    float sum = 0.0f;
    constexpr int kWarpsOfRow = kThreads / kWarpSize;
    const int first_warp = kWarpsOfRow == 1 ? warp : 0;
    for (int w = 0; w < kWarpsOfRow; ++w) sum += partial[lane][first_warp + w];
    y[first_row + lane] = sum;
  }
}

template <class Pack>
void launch_gemv(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                 cudaStream_t stream) {
  const auto launch = [&]<int kThreads, int kRows, int kAhead>() {
    constexpr int kBlock = kGemvBlock<kThreads>;
    constexpr std::size_t kRowsOfBlock = kRows * (kBlock / kThreads);
    const auto blocks = static_cast<unsigned>((m + kRowsOfBlock - 1) / kRowsOfBlock);
    gemv_kernel<Pack, kThreads, kRows, kAhead><<<blocks, kBlock, 0, stream>>>(a, x, y, m, k);
  };
  // A thread has at least 8 floats of a row, and asks for as many at once. Where that would make
  // a block of two warps, they take a row each: such blocks end sooner than the GPU starts others.
  constexpr int kAhead = 8 * sizeof(float) / sizeof(Pack);
  if (k >= 8 * 512) {
    launch.template operator()<512, 1, kAhead>();
  } else if (k >= 8 * 256) {
    launch.template operator()<256, 1, kAhead>();
  } else if (k >= 8 * 128) {
    launch.template operator()<128, 1, kAhead>();
  } else if (k >= 8 * kWarpSize) {
    launch.template operator()<kWarpSize, 1, kAhead>();
  } else {
    launch.template operator()<kWarpSize, 4, 1>();
  }
}

inline void gemv(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                 cudaStream_t stream) {
  if (m == 0) return;
  if (rows_are_aligned(a, x, k)) {
    launch_gemv<float4>(a, x, y, m, k, stream);
  } else {
    launch_gemv<float>(a, x, y, m, k, stream);
  }
}
// [gemv]
