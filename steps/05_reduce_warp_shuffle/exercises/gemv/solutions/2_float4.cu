// Four packs of A under way in each lane, of four floats where all rows start on 16 bytes: they do
// if K is a multiple of 4. Otherwise a pack is a single float, and the rest of the kernel the same.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block, a row each
constexpr int kInFlight = 4;                    // packs of A a lane asks for at once
constexpr unsigned kAllLanes = 0xffffffff;

__device__ float dot(float a, float x) { return a * x; }

__device__ float dot(float4 a, float4 x) {
  return (a.x * x.x + a.y * x.y) + (a.z * x.z + a.w * x.w);
}

// The sum of `value` over the warp; valid in lane 0.
__device__ float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}

template <class Pack>  // float or float4
__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int row = blockIdx.x * kWarps + warp;
  if (row >= M) return;  // the whole warp: no lane of it is missing in the shuffles
  const Pack* const a = reinterpret_cast<const Pack*>(A + std::size_t(row) * K);
  const Pack* const b = reinterpret_cast<const Pack*>(x);
  const int packs = K / static_cast<int>(sizeof(Pack) / sizeof(float));

  float sum = 0.0f;
  int first = lane;
  for (; first + (kInFlight - 1) * kWarpSize < packs; first += kInFlight * kWarpSize) {
    Pack v[kInFlight];  // all on their way before the first is needed
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) v[k] = a[first + k * kWarpSize];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) sum += dot(v[k], b[first + k * kWarpSize]);
  }
  for (; first < packs; first += kWarpSize) sum += dot(a[first], b[first]);
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

extern "C" void solve(const float* A, const float* x, float* y, int M, int K) {
  const int blocks = (M - 1) / kWarps + 1;
  if (K % 4 == 0) {
    gemv_kernel<float4><<<blocks, kBlockSize>>>(A, x, y, M, K);
  } else {
    gemv_kernel<float><<<blocks, kBlockSize>>>(A, x, y, M, K);
  }
}
