// Softmax of every row of a matrix: one block per row, and one kernel per pass.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "block.cuh"
#include "pass.cuh"
#include "rows.cuh"

template <Pass kPass>
__global__ void softmax_three_passes_kernel(const float* x, float* y, float* row_max,
                                            float* row_sum, std::size_t rows, std::size_t cols) {
  __shared__ float partial[kWarpSize];
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    if constexpr (kPass == Pass::kMax) {
      float max = -INFINITY;
      for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) max = fmaxf(max, in[i]);
      max = block_max(max, partial);
      if (threadIdx.x == 0) row_max[row] = max;
    } else if constexpr (kPass == Pass::kSum) {
      const float max = row_max[row];
      float part = 0.0f;
      for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) part += expf(in[i] - max);
      const float sum = block_sum(part, partial);
      if (threadIdx.x == 0) row_sum[row] = sum;
    } else {
      const float max = row_max[row];
      const float scale = 1.0f / row_sum[row];
      for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) {
        out[i] = expf(in[i] - max) * scale;
      }
    }
    if constexpr (kPass != Pass::kQuotient) __syncthreads();  // before the next row's `partial`
  }
}

inline void softmax_three_passes(const float* x, float* y, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  // Whole warps, and no more of them than the row has work for.
  const std::size_t warps = std::min<std::size_t>((cols + kWarpSize - 1) / kWarpSize, 32);
  const auto threads = static_cast<unsigned>(warps * kWarpSize);
  float* row_max = nullptr;  // (rows), and behind it the sums (rows)
  // Without memory, the caller finds the error as it finds that of a launch.
  if (cudaMallocAsync(&row_max, 2 * rows * sizeof(float), stream) != cudaSuccess) return;
  float* row_sum = row_max + rows;
  softmax_three_passes_kernel<Pass::kMax>
      <<<grid_size(rows), threads, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  softmax_three_passes_kernel<Pass::kSum>
      <<<grid_size(rows), threads, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  softmax_three_passes_kernel<Pass::kQuotient>
      <<<grid_size(rows), threads, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  cudaFreeAsync(row_max, stream);
}
