// y = A x for few long rows, in groups of four: a block loads an element of x once for four
// products, and several blocks share a group. A is (m, k), row-major.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../warp_sum.cuh"
#include "dot.cuh"
#include "split.cuh"

template <class Pack, int kRows, int kBlockSize>  // float4, or float where rows are not aligned
__global__ void __launch_bounds__(kBlockSize)
    gemv_split_rows_kernel(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                           unsigned parts) {
  constexpr int kAhead = 4 * sizeof(float) / sizeof(Pack);  // packs that a thread asks for at once
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // per row
  // Blocks of one part run at the same time: all of them find its piece of x in the L2 cache.
  const unsigned groups = gridDim.x / parts;
  const std::size_t first_row = std::size_t{blockIdx.x % groups} * kRows;
  const std::size_t part = blockIdx.x / groups;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  const Pack* rows[kRows];
  for (int r = 0; r < kRows; ++r) {
    // Past the end of the matrix, its last row is read again, for nothing.
    rows[r] = reinterpret_cast<const Pack*>(a) + min(first_row + r, m - 1) * packs;
  }
  constexpr std::size_t kTurn = kAhead * kBlockSize;
  float sums[kRows] = {};
#pragma unroll 1  // kAhead alone says how much is in flight
  for (std::size_t first = part * kTurn + threadIdx.x; first < packs; first += parts * kTurn) {
    Pack v[kRows][kAhead] = {};
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kBlockSize;
      for (int r = 0; r < kRows && i < packs; ++r) v[r][ahead] = __ldcs(rows[r] + i);
    }
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kBlockSize;
      const Pack of_x = i < packs ? x_packs[i] : Pack{};
      for (int r = 0; r < kRows; ++r) sums[r] += dot(v[r][ahead], of_x);
    }
  }
  __shared__ float partial[kRows][kBlockSize / kWarpSize];
  for (int r = 0; r < kRows; ++r) {
    const float sum = warp_sum(sums[r]);
    if (threadIdx.x % kWarpSize == 0) partial[r][threadIdx.x / kWarpSize] = sum;
  }
  __syncthreads();
  if (threadIdx.x < kRows && first_row + threadIdx.x < m) {
    float sum = 0.0f;
    for (const float of_warp : partial[threadIdx.x]) sum += of_warp;
    atomicAdd(y + first_row + threadIdx.x, sum);
  }
}

inline void gemv_split_rows(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                            cudaStream_t stream) {
  constexpr int kBlockSize = 512;
  constexpr int kRows = 4;  // rows per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  if (m == 0) return;
  cudaMemsetAsync(y, 0, m * sizeof(float), stream);  // the blocks add to it
  const std::size_t groups = (m + kRows - 1) / kRows;
  const unsigned parts = split_parts(groups, k);
  const auto kernel = rows_are_aligned(a, x, k) ? gemv_split_rows_kernel<float4, kRows, kBlockSize>
                                                : gemv_split_rows_kernel<float, kRows, kBlockSize>;
  kernel<<<grid_of(groups * parts), kBlockSize, 0, stream>>>(a, x, y, m, k, parts);
}
