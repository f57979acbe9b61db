// attention_head that keeps sum and values as they are when a larger score comes.
//
// The terms added before are relative to the old maximum, those that follow to the new one.
//
// Rejected by: result
#include <cuda_runtime.h>
#include <math.h>

#include <cstddef>

constexpr int kWarp = 32, kWarps = 4, kMost = 128 / kWarp;  // elements of a row that a lane has

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* output,
                                 int M, int N, int d) {
  const int query = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
  if (query >= M) return;  // the whole warp
  float q[kMost], mean[kMost] = {}, most = -INFINITY, sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    const int at = lane + kWarp * i;
    q[i] = at < d ? Q[std::size_t(query) * d + at] : 0.0f;
  }
  const float scale = 1.0f / sqrtf(float(d));
  for (int key = 0; key < N; ++key) {
    float score = 0.0f;
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      const int at = lane + kWarp * i;
      if (at < d) score += q[i] * K[std::size_t(key) * d + at];
    }
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      score += __shfl_xor_sync(0xffffffff, score, distance);
    score *= scale;
    const float larger = fmaxf(most, score);
    const float keep = 1.0f, weight = expf(score - larger);
    sum = sum * keep + weight;
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      const int at = lane + kWarp * i;
      if (at < d) mean[i] = mean[i] * keep + weight * V[std::size_t(key) * d + at];
    }
    most = larger;
  }
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    const int at = lane + kWarp * i;
    if (at < d) output[std::size_t(query) * d + at] = mean[i] / sum;
  }
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int M, int N,
                      int d) {
  attention_kernel<<<(M + kWarps - 1) / kWarps, dim3(kWarp, kWarps)>>>(Q, K, V, output, M, N, d);
}
