// softmax_vector without the barriers between what the warps write and what they read.
//
// A warp that is ahead reduces maxima that others have not written yet.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

#include <cmath>

constexpr int kBlockSize = 1024;  // threads in the block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in the block
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kWarps == kWarpSize, "a lane for what each warp has found");

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

__global__ void softmax_kernel(const float* input, float* output, unsigned n) {
  // Two arrays: some warps may still read the first when others write to the second.
  __shared__ float warps_max[kWarps];
  __shared__ float warps_sum[kWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  float max = -INFINITY;
  for (unsigned i = threadIdx.x; i < n; i += kBlockSize) max = fmaxf(max, input[i]);
  max = warp_max(max);
  if (lane == 0) warps_max[warp] = max;
  max = warp_max(warps_max[lane]);

  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < n; i += kBlockSize) sum += expf(input[i] - max);
  sum = warp_sum(sum);
  if (lane == 0) warps_sum[warp] = sum;
  sum = warp_sum(warps_sum[lane]);

  const float scale = 1.0f / sum;
  for (unsigned i = threadIdx.x; i < n; i += kBlockSize) output[i] = expf(input[i] - max) * scale;
}

extern "C" void solve(const float* input, float* output, int N) {
  softmax_kernel<<<1, kBlockSize>>>(input, output, N);
}
