// reduce_max that compares the bits of floats as integers.
//
// That order is right among positive numbers, and the wrong way round among negative ones: to them
// -infinity, from which the maximum starts, is the largest of all.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block
constexpr unsigned kAllLanes = 0xffffffff;

// The largest `value` of the warp; valid in lane 0.
__device__ float warp_max(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value = fmaxf(value, __shfl_down_sync(kAllLanes, value, half));
  }
  return value;
}

// The largest `value` of the block; valid in thread 0.
__device__ float block_max(float value) {
  __shared__ float partial[kWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  value = warp_max(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_max(lane < kWarps ? partial[lane] : -INFINITY);
  return value;
}

__device__ void atomic_max(float* max, float value) {
  atomicMax(reinterpret_cast<int*>(max), __float_as_int(value));
}

// Blocks start in no particular order, so a launch of its own puts the first value there.
__global__ void start_kernel(float* max) { *max = -INFINITY; }

__global__ void max_kernel(const float* input, float* max, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = i < n ? input[i] : -INFINITY;  // no early return: shuffles follow
  value = block_max(value);
  if (threadIdx.x == 0) atomic_max(max, value);
}

extern "C" void solve(const float* input, float* output, int N) {
  const int blocks = (N - 1) / kBlockSize + 1;
  start_kernel<<<1, 1>>>(output);
  max_kernel<<<blocks, kBlockSize>>>(input, output, N);
}
