// Softmax of every row of a matrix: one warp per row, which waits in registers: x is read once.
#pragma once

#include "../4_softmax_warp_cached.cuh"

namespace find_me {

// A lane has kFloats columns of the row. Those past its end count as 0.
template <int kFloats>
__global__ void softmax_warp_cached_kernel(const float* x, float* y, std::size_t rows,
                                           unsigned cols) {
  const unsigned lane = threadIdx.x % kWarpSize;
  const std::size_t row = std::size_t{blockIdx.x} * kWarps + threadIdx.x / kWarpSize;
  if (row >= rows) return;  // the whole warp
  const float* const in = x + row * cols;
  float* const out = y + row * cols;

  float part[kFloats];
  float max = -INFINITY;
#pragma unroll
  for (int i = 0; i < kFloats; ++i) {
    const unsigned col = i * kWarpSize + lane;
    part[i] = col < cols ? in[col] : 0.0f;
    if (col < cols) max = fmaxf(max, part[i]);
  }
  max = group_max<kWarpSize>(max);

  float sum = 0.0f;
#pragma unroll
  for (float& value : part) sum += value = expf(value - max);
  sum = group_sum<kWarpSize>(sum);

  const float scale = 1.0f / sum;
#pragma unroll
  for (int i = 0; i < kFloats; ++i) {
    const unsigned col = i * kWarpSize + lane;
    if (col < cols) out[col] = part[i] * scale;
  }
}

template <int kFloats>
void launch_softmax_warp_cached(const float* x, float* y, std::size_t rows, unsigned cols,
                                cudaStream_t stream) {
  if (kFloats < 32 && cols > kFloats * kWarpSize) {
    return find_me::launch_softmax_warp_cached<std::min(2 * kFloats, 32)>(x, y, rows, cols, stream);
  }
  const auto blocks = static_cast<unsigned>((rows + kWarps - 1) / kWarps);
  softmax_warp_cached_kernel<kFloats><<<blocks, kBlockSize, 0, stream>>>(x, y, rows, cols);
}

inline void softmax_warp_cached(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  if (cols > 32 * kWarpSize) return softmax_warp_shuffle(x, y, rows, cols, stream);
  find_me::launch_softmax_warp_cached<4>(x, y, rows, static_cast<unsigned>(cols), stream);
}

}  // namespace find_me
