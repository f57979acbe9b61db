// softmax_vector that does not subtract the maximum.
//
// The exponential of 89 is more than a float can hold. Infinity divided by infinity is not a
// number; for small elements the result is right.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cmath>

constexpr int kBlockSize = 1024;  // threads in the block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in the block
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kWarps == kWarpSize, "a lane for what each warp has found");

// Over the warp; every lane gets the result.
__device__ float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, half);
  }
  return value;
}

__global__ void softmax_kernel(const float* input, float* output, unsigned n) {
  __shared__ float warps_sum[kWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < n; i += kBlockSize) sum += expf(input[i]);
  sum = warp_sum(sum);
  if (lane == 0) warps_sum[warp] = sum;
  __syncthreads();
  sum = warp_sum(warps_sum[lane]);

  const float scale = 1.0f / sum;
  for (unsigned i = threadIdx.x; i < n; i += kBlockSize) output[i] = expf(input[i]) * scale;
}

extern "C" void solve(const float* input, float* output, int N) {
  softmax_kernel<<<1, kBlockSize>>>(input, output, N);
}
