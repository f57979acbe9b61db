// Many blocks share the vector. No barrier reaches across blocks, but the end of a kernel does: one
// for the blocks' maxima, one for their sums, one for the quotients. The vector is read three
// times.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block
constexpr int kMaxBlocks = 1024;
constexpr unsigned kAllLanes = 0xffffffff;

__device__ float blocks_max[kMaxBlocks];  // what each block of the first kernel has found
__device__ float blocks_sum[kMaxBlocks];  // and of the second

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

// Over the block; every thread gets the result. `partial` is shared memory, for one call only.
__device__ float block_max(float value, float (&partial)[kWarps]) {
  const int lane = threadIdx.x % kWarpSize;
  value = warp_max(value);
  if (lane == 0) partial[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  return warp_max(partial[lane % kWarps]);  // some twice: no harm to a maximum
}

__device__ float block_sum(float value, float (&partial)[kWarps]) {
  const int lane = threadIdx.x % kWarpSize;
  value = warp_sum(value);
  if (lane == 0) partial[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  return warp_sum(lane < kWarps ? partial[lane] : 0.0f);
}

__global__ void max_kernel(const float* input, unsigned n) {
  __shared__ float partial[kWarps];
  const unsigned threads = gridDim.x * kBlockSize;
  float max = -INFINITY;
  for (unsigned i = blockIdx.x * kBlockSize + threadIdx.x; i < n; i += threads) {
    max = fmaxf(max, input[i]);
  }
  max = block_max(max, partial);
  if (threadIdx.x == 0) blocks_max[blockIdx.x] = max;
}

// The maximum of what all blocks have found; every block works it out for itself.
__device__ float grid_max(float (&partial)[kWarps]) {
  float max = -INFINITY;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kBlockSize) {
    max = fmaxf(max, blocks_max[block]);
  }
  return block_max(max, partial);
}

__device__ float grid_sum(float (&partial)[kWarps]) {
  float sum = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kBlockSize) {
    sum += blocks_sum[block];
  }
  return block_sum(sum, partial);
}

__global__ void sum_kernel(const float* input, unsigned n) {
  __shared__ float partial_max[kWarps];
  __shared__ float partial_sum[kWarps];
  const unsigned threads = gridDim.x * kBlockSize;
  const float max = grid_max(partial_max);
  float sum = 0.0f;
  for (unsigned i = blockIdx.x * kBlockSize + threadIdx.x; i < n; i += threads) {
    sum += expf(input[i] - max);
  }
  sum = block_sum(sum, partial_sum);
  if (threadIdx.x == 0) blocks_sum[blockIdx.x] = sum;
}

__global__ void normalize_kernel(const float* input, float* output, unsigned n) {
  __shared__ float partial_max[kWarps];
  __shared__ float partial_sum[kWarps];
  const unsigned threads = gridDim.x * kBlockSize;
  const float max = grid_max(partial_max);
  const float scale = 1.0f / grid_sum(partial_sum);
  for (unsigned i = blockIdx.x * kBlockSize + threadIdx.x; i < n; i += threads) {
    output[i] = expf(input[i] - max) * scale;
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  const int blocks = std::min((N - 1) / kBlockSize + 1, kMaxBlocks);  // the same for all three
  max_kernel<<<blocks, kBlockSize>>>(input, N);
  sum_kernel<<<blocks, kBlockSize>>>(input, N);
  normalize_kernel<<<blocks, kBlockSize>>>(input, output, N);
}
