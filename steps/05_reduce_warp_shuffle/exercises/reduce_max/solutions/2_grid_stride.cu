// No more blocks than the GPU holds at once. Each thread strides over the vector in 128-bit packs,
// four under way at a time; shuffles, barrier and atomic are paid once a block instead of once a
// tile.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block
constexpr int kPack = 4;                        // floats in a 128-bit access
constexpr int kTile = kBlockSize * kPack;       // elements one block handles at a time
constexpr int kInFlight = 4;                    // packs that a thread asks for at once
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

// *max = fmaxf(*max, value), as one. Swaps only if nobody has changed *max since it was read; else
// looks at what is there now, and tries again while its own value is larger.
__device__ void atomic_max(float* max, float value) {
  int* const bits = reinterpret_cast<int*>(max);
  int seen = atomicCAS(bits, 0, 0);  // an atomic read
  while (__int_as_float(seen) < value) {
    const int found = atomicCAS(bits, seen, __float_as_int(value));
    if (found == seen) return;
    seen = found;
  }
}

// Blocks start in no particular order, so a launch of its own puts the first value there.
__global__ void start_kernel(float* max) { *max = -INFINITY; }

__global__ void max_kernel(const float* input, float* max, std::size_t n) {
  const std::size_t packs = n / kPack;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  float value = -INFINITY;
  for (std::size_t first = i; first < packs; first += kInFlight * threads) {
    float4 v[kInFlight];  // all on their way before the first is needed
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const std::size_t pack = min(first + k * threads, packs - 1);  // the last one twice: no harm
      v[k] = reinterpret_cast<const float4*>(input)[pack];
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      value = fmaxf(value, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
    }
  }
  const std::size_t tail = packs * kPack + i;
  if (tail < n) value = fmaxf(value, input[tail]);
  value = block_max(value);
  if (threadIdx.x == 0) atomic_max(max, value);
}

extern "C" void solve(const float* input, float* output, int N) {
  int device = 0;
  int sms = 0;
  int blocks_per_sm = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, max_kernel, kBlockSize, 0);
  const int blocks = std::min((N - 1) / kTile + 1, sms * blocks_per_sm);
  start_kernel<<<1, 1>>>(output);
  max_kernel<<<blocks, kBlockSize>>>(input, output, N);
}
