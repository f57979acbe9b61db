// softmax_online_scalar that does not scale the sum down when a larger maximum turns up.
//
// The terms so far were taken with a smaller maximum, and are too large beside the new ones.
//
// Rejected by: result with --rows 9 --cols 2000
#pragma once

#include "../15_softmax_online_scalar.cuh"

namespace not_rescaled {

// The online normalizer of Milakov and Gimelshein, "Online normalizer calculation for softmax"
// (2018): when a larger maximum turns up, the sum so far is scaled down to it.
__global__ void __launch_bounds__(1024)
    softmax_online_scalar_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  // Two arrays: between two writes to one lies the barrier that goes with the other.
  __shared__ float partial_max[kWarpSize];
  __shared__ float partial_sum[kWarpSize];
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    // Not -INFINITY: the difference of two infinities is NaN, and a row may well hold them.
    float seen_max = -FLT_MAX;
    LongSum part = {};  // of exp(x - seen_max)
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) {
      const float new_max = fmaxf(seen_max, in[i]);
      add_term(part, expf(in[i] - new_max));
      seen_max = new_max;
    }
    const float max = block_max(seen_max, partial_max);
    const float sum = block_sum(part.value * expf(seen_max - max), partial_sum);

    const float scale = 1.0f / sum;
    for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) {
      out[i] = expf(in[i] - max) * scale;
    }
  }
}

inline void softmax_online_scalar(const float* x, float* y, std::size_t rows, std::size_t cols,
                                  cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  // Whole warps, and no more of them than the row has work for.
  const std::size_t warps = std::min<std::size_t>((cols + kWarpSize - 1) / kWarpSize, 32);
  const auto threads = static_cast<unsigned>(warps * kWarpSize);
  softmax_online_scalar_kernel<<<grid_size(rows), threads, 0, stream>>>(x, y, rows, cols);
}

}  // namespace not_rescaled
