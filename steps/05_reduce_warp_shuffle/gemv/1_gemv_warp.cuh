// y = A x: each element of y is the sum of the products of a row with x. A is (m, k), row-major.
// A warp per row: its lanes walk along the row side by side, then add up their sums.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../warp_sum.cuh"

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
  constexpr int kBlockSize = 256;                // threads per block
  constexpr int kRows = kBlockSize / kWarpSize;  // rows per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  if (m == 0) return;
  const auto blocks = static_cast<unsigned>((m + kRows - 1) / kRows);
  gemv_warp_kernel<<<blocks, kBlockSize, 0, stream>>>(a, x, y, m, k);
}
