// y = A x for few long rows: several blocks share a row, and add their sums to its element of y.
// A is (m, k), row-major.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../warp_sum.cuh"
#include "dot.cuh"
#include "split.cuh"

template <class Pack, int kBlockSize>  // float4, or float where rows are not aligned
__global__ void __launch_bounds__(kBlockSize)
    gemv_split_kernel(const float* a, const float* x, float* y, std::size_t k, unsigned parts) {
  constexpr int kAhead = 8 * sizeof(float) / sizeof(Pack);  // packs that a thread asks for at once
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // per row
  const std::size_t row = blockIdx.x / parts;
  const std::size_t part = blockIdx.x % parts;
  const Pack* const row_packs = reinterpret_cast<const Pack*>(a) + row * packs;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  constexpr std::size_t kTurn = kAhead * kBlockSize;
  float sum = 0.0f;
#pragma unroll 1  // kAhead alone says how much is in flight
  for (std::size_t first = part * kTurn + threadIdx.x; first < packs; first += parts * kTurn) {
    Pack of_row[kAhead] = {};
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kBlockSize;
      if (i < packs) of_row[ahead] = __ldcs(row_packs + i);
    }
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kBlockSize;
      sum += dot(of_row[ahead], i < packs ? x_packs[i] : Pack{});
    }
  }
  __shared__ float partial[kBlockSize / kWarpSize];
  sum = warp_sum(sum);
  if (threadIdx.x % kWarpSize == 0) partial[threadIdx.x / kWarpSize] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0.0f;
    for (const float of_warp : partial) sum += of_warp;
    atomicAdd(y + row, sum);
  }
}

inline void gemv_split(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                       cudaStream_t stream) {
  constexpr int kBlockSize = 512;
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  if (m == 0) return;
  cudaMemsetAsync(y, 0, m * sizeof(float), stream);  // the blocks add to it
  const unsigned parts = split_parts(m, k);
  const auto kernel = rows_are_aligned(a, x, k) ? gemv_split_kernel<float4, kBlockSize>
                                                : gemv_split_kernel<float, kBlockSize>;
  kernel<<<grid_of(m * parts), kBlockSize, 0, stream>>>(a, x, y, k, parts);
}
