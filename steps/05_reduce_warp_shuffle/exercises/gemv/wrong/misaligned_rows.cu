// gemv that reads every row in packs of four, however long rows are.
//
// Row r starts at element r * K. If K is not a multiple of four, most rows do not start on 16
// bytes.
//
// Rejected by: memcheck (misaligned)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block, a row each
constexpr int kPack = 4;                        // floats in a 128-bit access
constexpr unsigned kAllLanes = 0xffffffff;

// The sum of `value` over the warp; valid in lane 0.
__device__ float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int row = blockIdx.x * kWarps + warp;
  if (row >= M) return;  // the whole warp: no lane of it is missing in the shuffles
  const float* const a = A + std::size_t(row) * K;
  const int packs = K / kPack;

  float sum = 0.0f;
  for (int i = lane; i < packs; i += kWarpSize) {
    const float4 u = reinterpret_cast<const float4*>(a)[i];
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  const int tail = packs * kPack + lane;
  if (tail < K) sum += a[tail] * x[tail];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

extern "C" void solve(const float* A, const float* x, float* y, int M, int K) {
  const int blocks = (M - 1) / kWarps + 1;
  gemv_kernel<<<blocks, kBlockSize>>>(A, x, y, M, K);
}
