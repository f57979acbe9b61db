// softmax_warp_shuffle whose lanes without an element return at once.
//
// Rows of fewer than 32 columns then have lanes in the mask of their shuffles that are gone. The
// others get undefined values from them: NaN here on the CPU, on a GPU perhaps the last value of
// such a lane's register.
//
// Rejected by: result (undefined) with --rows 9 --cols 20
#pragma once

#include "../3_softmax_warp_shuffle.cuh"

namespace short_rows_return {

template <int kLanes>
__device__ float group_max(float value) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, half));
  }
  return value;
}

template <int kLanes>
__device__ float group_sum(float value) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, half);
  }
  return value;
}

__global__ void softmax_warp_shuffle_kernel(const float* x, float* y, std::size_t rows,
                                            std::size_t cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  if (static_cast<std::size_t>(lane) >= cols) return;
  const std::size_t first_row = std::size_t{blockIdx.x} * kWarps + warp;
  for (std::size_t row = first_row; row < rows; row += std::size_t{gridDim.x} * kWarps) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float max = -INFINITY;
    for (std::size_t col = lane; col < cols; col += kWarpSize) max = fmaxf(max, in[col]);
    max = group_max<kWarpSize>(max);

    LongSum part = {};
    for (std::size_t col = lane; col < cols; col += kWarpSize) add_term(part, expf(in[col] - max));
    const float sum = group_sum<kWarpSize>(part.value);

    const float scale = 1.0f / sum;
    for (std::size_t col = lane; col < cols; col += kWarpSize) {
      out[col] = expf(in[col] - max) * scale;
    }
  }
}

inline void softmax_warp_shuffle(const float* x, float* y, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned blocks = grid_size((rows + kWarps - 1) / kWarps);
  softmax_warp_shuffle_kernel<<<blocks, kBlockSize, 0, stream>>>(x, y, rows, cols);
}

}  // namespace short_rows_return
