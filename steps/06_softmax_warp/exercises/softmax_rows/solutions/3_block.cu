// A block a row, and 16 elements of it in each thread's registers: the row is read once, all of it
// under way at once. The block has as many warps as that takes. Longer rows are read three times.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;    // of a block
constexpr int kThreadCols = 16;  // elements of a row that a thread has room for
constexpr int kMaxCols = kMaxWarps * kWarpSize * kThreadCols;
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

// Over the block; every thread gets the result. `partial` is shared memory, for one call only.
__device__ float block_max(float value, float (&partial)[kMaxWarps]) {
  const unsigned lane = threadIdx.x % kWarpSize;
  value = warp_max(value);
  if (lane == 0) partial[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  return warp_max(lane < blockDim.x / kWarpSize ? partial[lane] : -INFINITY);
}

__device__ float block_sum(float value, float (&partial)[kMaxWarps]) {
  const unsigned lane = threadIdx.x % kWarpSize;
  value = warp_sum(value);
  if (lane == 0) partial[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  return warp_sum(lane < blockDim.x / kWarpSize ? partial[lane] : 0.0f);
}

// The i-th pack of a row: four floats with a 128-bit access, or one float where rows do not all
// start on 16 bytes.
__device__ void load_pack(const float* from, int i, float (&pack)[4]) {
  const float4 four = reinterpret_cast<const float4*>(from)[i];
  pack[0] = four.x;
  pack[1] = four.y;
  pack[2] = four.z;
  pack[3] = four.w;
}

__device__ void load_pack(const float* from, int i, float (&pack)[1]) { pack[0] = from[i]; }

__device__ void store_pack(float* to, int i, const float (&pack)[4]) {
  reinterpret_cast<float4*>(to)[i] = make_float4(pack[0], pack[1], pack[2], pack[3]);
}

__device__ void store_pack(float* to, int i, const float (&pack)[1]) { to[i] = pack[0]; }

// Elements past the end of the row count as -infinity: they change neither the maximum nor the sum.
template <int kPack>
__global__ void __launch_bounds__(kMaxWarps* kWarpSize)
    softmax_kernel(const float* input, float* output, int cols) {
  __shared__ float partial_max[kMaxWarps];
  __shared__ float partial_sum[kMaxWarps];
  constexpr int kPacks = kThreadCols / kPack;
  const int packs = cols / kPack;
  const float* const in = input + std::size_t{blockIdx.x} * cols;
  float* const out = output + std::size_t{blockIdx.x} * cols;

  float part[kPacks][kPack];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int i = threadIdx.x + p * blockDim.x;
    for (float& value : part[p]) value = -INFINITY;
    if (i < packs) load_pack(in, i, part[p]);
  }
  float max = -INFINITY;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (const float value : part[p]) max = fmaxf(max, value);
  }
  max = block_max(max, partial_max);

  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) {
      value = expf(value - max);
      sum += value;
    }
  }
  sum = block_sum(sum, partial_sum);

  const float scale = 1.0f / sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const int i = threadIdx.x + p * blockDim.x;
    for (float& value : part[p]) value *= scale;
    if (i < packs) store_pack(out, i, part[p]);
  }
}

__global__ void softmax_long_rows_kernel(const float* input, float* output, int cols) {
  __shared__ float partial_max[kMaxWarps];
  __shared__ float partial_sum[kMaxWarps];
  const float* const in = input + std::size_t{blockIdx.x} * cols;
  float* const out = output + std::size_t{blockIdx.x} * cols;

  float max = -INFINITY;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) max = fmaxf(max, in[col]);
  max = block_max(max, partial_max);

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) sum += expf(in[col] - max);
  const float scale = 1.0f / block_sum(sum, partial_sum);

  for (int col = threadIdx.x; col < cols; col += blockDim.x) out[col] = expf(in[col] - max) * scale;
}

extern "C" void solve(const float* input, float* output, int num_rows, int num_cols) {
  const int warps = std::min((num_cols - 1) / (kThreadCols * kWarpSize) + 1, kMaxWarps);
  const int threads = warps * kWarpSize;
  if (num_cols > kMaxCols) {
    softmax_long_rows_kernel<<<num_rows, threads>>>(input, output, num_cols);
  } else if (num_cols % 4 == 0) {
    softmax_kernel<4><<<num_rows, threads>>>(input, output, num_cols);
  } else {
    softmax_kernel<1><<<num_rows, threads>>>(input, output, num_cols);
  }
}
