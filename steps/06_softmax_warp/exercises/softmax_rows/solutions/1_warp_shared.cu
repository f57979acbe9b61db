// A warp a row, so that no block barrier is needed. The tree leaves a result in lane 0 alone, which
// hands it round through shared memory; __syncwarp() is what makes that no race.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block, a row each
constexpr unsigned kAllLanes = 0xffffffff;

// Over the warp; valid in lane 0.
__device__ float warp_max(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value = fmaxf(value, __shfl_down_sync(kAllLanes, value, half));
  }
  return value;
}

__device__ float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}

__global__ void softmax_kernel(const float* input, float* output, int rows, int cols) {
  __shared__ float shared_max[kWarps];
  __shared__ float shared_sum[kWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int row = blockIdx.x * kWarps + warp;
  if (row >= rows) return;  // the whole warp: no lane of it is missing in the shuffles
  const float* const in = input + std::size_t(row) * cols;
  float* const out = output + std::size_t(row) * cols;

  float max = -INFINITY;
  for (int col = lane; col < cols; col += kWarpSize) max = fmaxf(max, in[col]);
  max = warp_max(max);
  if (lane == 0) shared_max[warp] = max;
  __syncwarp();  // no lane reads before lane 0 has written
  max = shared_max[warp];

  float sum = 0.0f;
  for (int col = lane; col < cols; col += kWarpSize) sum += expf(in[col] - max);
  sum = warp_sum(sum);
  if (lane == 0) shared_sum[warp] = sum;
  __syncwarp();
  sum = shared_sum[warp];

  const float scale = 1.0f / sum;
  for (int col = lane; col < cols; col += kWarpSize) out[col] = expf(in[col] - max) * scale;
}

extern "C" void solve(const float* input, float* output, int num_rows, int num_cols) {
  const int blocks = (num_rows - 1) / kWarps + 1;
  softmax_kernel<<<blocks, kBlockSize>>>(input, output, num_rows, num_cols);
}
