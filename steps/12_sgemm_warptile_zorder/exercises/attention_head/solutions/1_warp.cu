// A warp per query, online: the maximum, the sum and the weighted values are carried along and
// rescaled when a larger score comes. Every warp reads all keys and values from global memory.
#include <cuda_runtime.h>
#include <math.h>

#include <cstddef>

constexpr int kWarp = 32, kWarps = 4, kMost = 128 / kWarp;  // elements of a row that a lane has

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* output,
                                 int M, int N, int d) {
  const int query = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;  // fade 2
  if (query >= M) return;  // the whole warp // fade 2
  float q[kMost], mean[kMost] = {}, most = -INFINITY, sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    const int at = lane + kWarp * i;
    q[i] = at < d ? Q[std::size_t(query) * d + at] : 0.0f;  // fade 2
  }
  const float scale = 1.0f / sqrtf(float(d));
  for (int key = 0; key < N; ++key) {
    float score = 0.0f;  // fade 2
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      const int at = lane + kWarp * i;
      if (at < d) score += q[i] * K[std::size_t(key) * d + at];  // fade 2
    }
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      score += __shfl_xor_sync(0xffffffff, score, distance);
    score *= scale;                                                         // fade 2
    const float larger = fmaxf(most, score);                                // fade 1
    const float keep = expf(most - larger), weight = expf(score - larger);  // fade 2
    sum = sum * keep + weight;                                              // fade 1
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      const int at = lane + kWarp * i;
      if (at < d) mean[i] = mean[i] * keep + weight * V[std::size_t(key) * d + at];  // fade 1
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
