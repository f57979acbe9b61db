// Maximum and sum in one pass: when a larger maximum turns up, the sum so far is scaled down to it.
// The vector is read twice instead of three times, in 128-bit packs, four under way in each thread.
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block
constexpr int kMaxBlocks = 1024;
constexpr int kPack = 4;      // floats in a 128-bit access
constexpr int kInFlight = 4;  // packs that a thread asks for at once
constexpr int kTile = kBlockSize * kPack;
constexpr unsigned kAllLanes = 0xffffffff;

// The part of the vector that was seen: its largest element, and the sum of exp(x - max) over it.
struct Seen {
  float max;
  float sum;
};

// Not -INFINITY: the difference of two infinities is not a number.
__device__ Seen nothing() { return {-FLT_MAX, 0.0f}; }

__device__ Seen merge(Seen a, Seen b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

// Over the warp; every lane gets the result.
__device__ Seen warp_merge(Seen seen) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    const float max = __shfl_xor_sync(kAllLanes, seen.max, half);
    const float sum = __shfl_xor_sync(kAllLanes, seen.sum, half);
    seen = merge(seen, {max, sum});
  }
  return seen;
}

// Over the block; every thread gets the result. Once a kernel: a second call could overwrite
// `partial` while a warp still reads it.
__device__ Seen block_merge(Seen seen) {
  __shared__ Seen partial[kWarps];
  const int lane = threadIdx.x % kWarpSize;
  seen = warp_merge(seen);
  if (lane == 0) partial[threadIdx.x / kWarpSize] = seen;
  __syncthreads();
  return warp_merge(lane < kWarps ? partial[lane] : nothing());
}

__device__ Seen blocks_seen[kMaxBlocks];
__device__ Seen all_seen;

__global__ void online_kernel(const float* input, unsigned n) {
  const unsigned packs = n / kPack;
  const unsigned i = blockIdx.x * kBlockSize + threadIdx.x;
  const unsigned threads = gridDim.x * kBlockSize;
  Seen seen = nothing();
  for (unsigned first = i; first < packs; first += kInFlight * threads) {
    float4 v[kInFlight];
    float max = seen.max;
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const unsigned pack = first + k * threads;
      v[k] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
      if (pack < packs) v[k] = reinterpret_cast<const float4*>(input)[pack];
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      max = fmaxf(max, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
    }
    float sum = seen.sum * expf(seen.max - max);
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      sum += (expf(v[k].x - max) + expf(v[k].y - max)) + (expf(v[k].z - max) + expf(v[k].w - max));
    }
    seen = {max, sum};
  }
  const unsigned tail = packs * kPack + i;
  if (tail < n) {
    const float max = fmaxf(seen.max, input[tail]);
    seen = {max, seen.sum * expf(seen.max - max) + expf(input[tail] - max)};
  }
  seen = block_merge(seen);
  if (threadIdx.x == 0) blocks_seen[blockIdx.x] = seen;
}

__global__ void merge_kernel(unsigned blocks) {
  Seen seen = nothing();
  for (unsigned block = threadIdx.x; block < blocks; block += kBlockSize) {
    seen = merge(seen, blocks_seen[block]);
  }
  seen = block_merge(seen);
  if (threadIdx.x == 0) all_seen = seen;
}

__global__ void normalize_kernel(const float* input, float* output, unsigned n) {
  const float max = all_seen.max;
  const float scale = 1.0f / all_seen.sum;
  const unsigned packs = n / kPack;
  const unsigned i = blockIdx.x * kBlockSize + threadIdx.x;
  if (i < packs) {
    const float4 v = reinterpret_cast<const float4*>(input)[i];
    reinterpret_cast<float4*>(output)[i] =
        make_float4(expf(v.x - max) * scale, expf(v.y - max) * scale, expf(v.z - max) * scale,
                    expf(v.w - max) * scale);
  }
  const unsigned tail = packs * kPack + i;
  if (tail < n) output[tail] = expf(input[tail] - max) * scale;
}

extern "C" void solve(const float* input, float* output, int N) {
  const int tiles = (N - 1) / kTile + 1;
  const int blocks = std::min(tiles, kMaxBlocks);
  online_kernel<<<blocks, kBlockSize>>>(input, N);
  merge_kernel<<<1, kBlockSize>>>(blocks);
  normalize_kernel<<<tiles, kBlockSize>>>(input, output, N);
}
