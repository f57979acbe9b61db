// y = A x, a block per row: one thread per 8 floats, 128 to 512 threads.
// A is (m, k), row-major.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../warp_sum.cuh"
#include "dot.cuh"

template <class Pack, int kBlockSize>  // float4, or float where rows are not aligned
__global__ void __launch_bounds__(kBlockSize)
    gemv_block_kernel(const float* a, const float* x, float* y, std::size_t k) {
  constexpr int kAhead = 8 * sizeof(float) / sizeof(Pack);  // packs that a thread asks for at once
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // per row
  const std::size_t row = blockIdx.x;
  const Pack* const row_packs = reinterpret_cast<const Pack*>(a) + row * packs;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  float sum = 0.0f;
#pragma unroll 1  // kAhead alone says how much is in flight
  for (std::size_t first = threadIdx.x; first < packs; first += kAhead * kBlockSize) {
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
    y[row] = sum;
  }
}

inline void gemv_block(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                       cudaStream_t stream) {
  const auto launch = [&]<int kBlockSize>() {
    static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
    const auto kernel = rows_are_aligned(a, x, k) ? gemv_block_kernel<float4, kBlockSize>
                                                  : gemv_block_kernel<float, kBlockSize>;
    kernel<<<grid_of(m), kBlockSize, 0, stream>>>(a, x, y, k);
  };
  if (m == 0) return;
  if (k >= 8 * 512) {
    launch.template operator()<512>();
  } else if (k >= 8 * 256) {
    launch.template operator()<256>();
  } else {
    launch.template operator()<128>();
  }
}
