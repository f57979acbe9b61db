// y = A x, a warp per row: a lane asks for 8 floats of its row before it needs the first, however
// short the row. A is (m, k), row-major.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../warp_sum.cuh"
#include "dot.cuh"

template <class Pack>  // float4, or float where rows are not aligned
__global__ void gemv_warp_ahead_kernel(const float* a, const float* x, float* y, std::size_t m,
                                       std::size_t k) {
  constexpr int kAhead = 8 * sizeof(float) / sizeof(Pack);     // packs that a lane asks for at once
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // per row
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarpSize;
  const std::size_t lane = threadIdx.x % kWarpSize;
  if (row >= m) return;  // the whole warp
  const Pack* const row_packs = reinterpret_cast<const Pack*>(a) + row * packs;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  float sum = 0.0f;
#pragma unroll 1  // kAhead alone says how much is in flight
  for (std::size_t first = lane; first < packs; first += kAhead * kWarpSize) {
    Pack of_row[kAhead] = {};
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kWarpSize;
      if (i < packs) of_row[ahead] = __ldcs(row_packs + i);
    }
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kWarpSize;
      sum += dot(of_row[ahead], i < packs ? x_packs[i] : Pack{});
    }
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

inline void gemv_warp_ahead(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                            cudaStream_t stream) {
  constexpr int kBlockSize = 256;                // threads per block
  constexpr int kRows = kBlockSize / kWarpSize;  // rows per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  if (m == 0) return;
  const auto blocks = static_cast<unsigned>((m + kRows - 1) / kRows);
  const auto kernel =
      rows_are_aligned(a, x, k) ? gemv_warp_ahead_kernel<float4> : gemv_warp_ahead_kernel<float>;
  kernel<<<blocks, kBlockSize, 0, stream>>>(a, x, y, m, k);
}
