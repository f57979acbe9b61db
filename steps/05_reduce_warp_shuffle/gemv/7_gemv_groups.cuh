// y = A x for short rows: a row gets as many lanes as it has packs, so several rows share a warp,
// and each lane works on four of them. A is (m, k), row-major.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../warp_sum.cuh"
#include "dot.cuh"

template <class Pack, int kLanes, int kRows, int kBlockSize>  // lanes per row; rows per lane
__global__ void __launch_bounds__(kBlockSize)
    gemv_groups_kernel(const float* a, const float* x, float* y, std::size_t m, std::size_t k) {
  constexpr int kGroups = kWarpSize / kLanes;                  // rows side by side in a warp
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // per row
  const std::size_t first_row =
      (std::size_t{blockIdx.x} * kBlockSize + threadIdx.x) / kWarpSize * (kGroups * kRows) +
      threadIdx.x % kWarpSize / kLanes;
  const std::size_t lane = threadIdx.x % kLanes;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  const Pack* rows[kRows];
  for (int r = 0; r < kRows; ++r) {
    // Past the end of the matrix, its last row is read again, for nothing.
    rows[r] = reinterpret_cast<const Pack*>(a) + min(first_row + r * kGroups, m - 1) * packs;
  }
  float sums[kRows] = {};
#pragma unroll 1  // kRows alone says how much is in flight
  for (std::size_t i = lane; i < packs; i += kLanes) {
    Pack v[kRows];
    for (int r = 0; r < kRows; ++r) v[r] = __ldcs(rows[r] + i);
    for (int r = 0; r < kRows; ++r) sums[r] += dot(v[r], x_packs[i]);
  }
  for (int r = 0; r < kRows; ++r) {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      sums[r] += __shfl_xor_sync(kAllLanes, sums[r], half);
    }
    const std::size_t row = first_row + r * kGroups;
    if (lane == 0 && row < m) y[row] = sums[r];
  }
}

// With as many lanes as there are packs, up to a warp: 1, 2, 4, 8, 16 or 32.
template <class Pack, int kLanes>
void launch_gemv_groups(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                        cudaStream_t stream) {
  if constexpr (kLanes < kWarpSize) {
    if (kLanes * sizeof(Pack) < k * sizeof(float)) {
      return launch_gemv_groups<Pack, 2 * kLanes>(a, x, y, m, k, stream);
    }
  }
  constexpr int kBlockSize = 256;                       // threads per block
  constexpr int kRows = 4;                              // rows per lane
  constexpr int kTile = kRows * (kBlockSize / kLanes);  // rows per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  const auto blocks = static_cast<unsigned>((m + kTile - 1) / kTile);
  const auto kernel = gemv_groups_kernel<Pack, kLanes, kRows, kBlockSize>;
  kernel<<<blocks, kBlockSize, 0, stream>>>(a, x, y, m, k);
}

inline void gemv_groups(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                        cudaStream_t stream) {
  if (m == 0) return;
  const auto launch =
      rows_are_aligned(a, x, k) ? launch_gemv_groups<float4, 1> : launch_gemv_groups<float, 1>;
  launch(a, x, y, m, k, stream);
}
