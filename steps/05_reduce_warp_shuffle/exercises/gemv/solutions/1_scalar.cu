// A warp a row: its lanes read neighboring elements of A and of x, and shuffles add up what each
// of them has. A thread a row would read A with a stride of K, a sector for every float.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block, a row each
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
  const float* const a = A + std::size_t(row) * K;  // 64 bits: M * K passes 2^31

  float sum = 0.0f;
  for (int k = lane; k < K; k += kWarpSize) sum += a[k] * x[k];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

extern "C" void solve(const float* A, const float* x, float* y, int M, int K) {
  const int blocks = (M - 1) / kWarps + 1;
  gemv_kernel<<<blocks, kBlockSize>>>(A, x, y, M, K);
}
