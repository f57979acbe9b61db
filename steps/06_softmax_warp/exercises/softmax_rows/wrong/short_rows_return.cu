// softmax_rows whose lanes without an element return at once.
//
// In rows of fewer than 32 columns the mask of the shuffles then names lanes that are gone. The
// others get undefined values from them.
//
// May also show: synccheck (invalid_mask)
// Rejected by: result (undefined)
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block, a row each
constexpr unsigned kAllLanes = 0xffffffff;

// Over the warp; every lane gets the result.
__device__ float warp_max(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, half));
  }
  return value;
}

__device__ float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, half);
  }
  return value;
}

__global__ void softmax_kernel(const float* input, float* output, int rows, int cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int row = blockIdx.x * kWarps + warp;
  if (row >= rows || lane >= cols) return;
  const float* const in = input + std::size_t(row) * cols;
  float* const out = output + std::size_t(row) * cols;

  float max = -INFINITY;
  for (int col = lane; col < cols; col += kWarpSize) max = fmaxf(max, in[col]);
  max = warp_max(max);

  float sum = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) sum += expf(in[col] - max);
  sum = warp_sum(sum);

  const float scale = 1.0f / sum;
  for (int col = lane; col < cols; col += kWarpSize) out[col] = expf(in[col] - max) * scale;
}

extern "C" void solve(const float* input, float* output, int num_rows, int num_cols) {
  const int blocks = (num_rows - 1) / kWarps + 1;
  softmax_kernel<<<blocks, kBlockSize>>>(input, output, num_rows, num_cols);
}
