// Softmax of every row of a matrix: many blocks per row, so that a single long row keeps the whole
// GPU busy, and one kernel per pass, whose end is a barrier for the whole grid.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "block.cuh"
#include "pass.cuh"
#include "rows.cuh"

constexpr int kPiece = 4 * kBlockSize;  // columns of a row that one block handles

// Atomically *max = fmaxf(*max, value). The bits of floats from +0 up are ordered as those of
// integers are, and the bits of the others in reverse order. *max may start with all bits set:
// that is below -infinity in both of these orders.
__device__ inline void atomic_max(float* max, float value) {
  if (__float_as_int(value) >= 0) {
    atomicMax(reinterpret_cast<int*>(max), __float_as_int(value));
  } else {
    atomicMin(reinterpret_cast<unsigned*>(max), __float_as_uint(value));
  }
}

template <Pass kPass>
__global__ void softmax_three_kernels_kernel(const float* x, float* y, float* row_max,
                                             float* row_sum, std::size_t rows, std::size_t cols) {
  __shared__ float partial[kWarpSize];
  const std::size_t first_col = std::size_t{blockIdx.x} * kPiece;
  const auto piece = static_cast<int>(min(cols - first_col, std::size_t{kPiece}));
  for (std::size_t row = blockIdx.y; row < rows; row += gridDim.y) {
    const float* const in = x + row * cols + first_col;
    float* const out = y + row * cols + first_col;

    if constexpr (kPass == Pass::kMax) {
      float max = -INFINITY;
      for (int i = threadIdx.x; i < piece; i += kBlockSize) max = fmaxf(max, in[i]);
      max = block_max(max, partial);
      if (threadIdx.x == 0) atomic_max(&row_max[row], max);
    } else if constexpr (kPass == Pass::kSum) {
      const float max = row_max[row];
      float part = 0.0f;
      for (int i = threadIdx.x; i < piece; i += kBlockSize) part += expf(in[i] - max);
      const float sum = block_sum(part, partial);
      if (threadIdx.x == 0) atomicAdd(&row_sum[row], sum);
    } else {
      const float max = row_max[row];
      const float scale = 1.0f / row_sum[row];
      for (int i = threadIdx.x; i < piece; i += kBlockSize) {
        out[i] = expf(in[i] - max) * scale;
      }
    }
    if constexpr (kPass != Pass::kQuotient) __syncthreads();  // before the next row's `partial`
  }
}

inline void softmax_three_kernels(const float* x, float* y, std::size_t rows, std::size_t cols,
                                  cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  constexpr std::size_t kMaxBlocksInY = 65535;
  const dim3 blocks(grid_size((cols + kPiece - 1) / kPiece),
                    static_cast<unsigned>(std::min(rows, kMaxBlocksInY)));
  float* row_max = nullptr;  // (rows), and behind it the sums (rows)
  // Without memory, the caller finds the error as it finds that of a launch.
  if (cudaMallocAsync(&row_max, 2 * rows * sizeof(float), stream) != cudaSuccess) return;
  float* row_sum = row_max + rows;
  cudaMemsetAsync(row_max, 0xff, rows * sizeof(float), stream);  // below every float
  cudaMemsetAsync(row_sum, 0, rows * sizeof(float), stream);
  softmax_three_kernels_kernel<Pass::kMax>
      <<<blocks, kBlockSize, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  softmax_three_kernels_kernel<Pass::kSum>
      <<<blocks, kBlockSize, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  softmax_three_kernels_kernel<Pass::kQuotient>
      <<<blocks, kBlockSize, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  cudaFreeAsync(row_max, stream);
}
