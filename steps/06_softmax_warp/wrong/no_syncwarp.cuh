// softmax_warp_shared without the __syncwarp() between lane 0's write and the others' reads.
//
// The lanes of a warp need not run in step. A lane that is ahead reads the maximum of the row
// before, or nothing at all.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race) with --rows 9 --cols 70
#pragma once

#include "../2_softmax_warp_shared.cuh"

namespace no_syncwarp {

// The largest `value` of the warp; valid in lane 0.
__device__ inline float warp_max(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value = fmaxf(value, __shfl_down_sync(kAllLanes, value, half));
  }
  return value;
}

// The sum of `value` over the warp; valid in lane 0.
__device__ inline float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}

__global__ void softmax_warp_shared_kernel(const float* x, float* y, std::size_t rows,
                                           std::size_t cols) {
  // Two slots per warp: between two writes to one lies the barrier that goes with the other.
  __shared__ float shared_max[kWarps];
  __shared__ float shared_sum[kWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const std::size_t first_row = std::size_t{blockIdx.x} * kWarps + warp;
  for (std::size_t row = first_row; row < rows; row += std::size_t{gridDim.x} * kWarps) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float max = -INFINITY;
    for (std::size_t col = lane; col < cols; col += kWarpSize) max = fmaxf(max, in[col]);
    max = warp_max(max);
    if (lane == 0) shared_max[warp] = max;
    max = shared_max[warp];

    LongSum part = {};
    for (std::size_t col = lane; col < cols; col += kWarpSize) add_term(part, expf(in[col] - max));
    float sum = warp_sum(part.value);
    if (lane == 0) shared_sum[warp] = sum;
    __syncwarp();
    sum = shared_sum[warp];

    const float scale = 1.0f / sum;
    for (std::size_t col = lane; col < cols; col += kWarpSize) {
      out[col] = expf(in[col] - max) * scale;
    }
  }
}

inline void softmax_warp_shared(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned blocks = grid_size((rows + kWarps - 1) / kWarps);
  softmax_warp_shared_kernel<<<blocks, kBlockSize, 0, stream>>>(x, y, rows, cols);
}

}  // namespace no_syncwarp
