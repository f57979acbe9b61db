// Eight queries per block share tiles of 32 keys and values in shared memory. Each lane computes
// the score of one key of the tile by itself, without an exchange for each key; the maximum moves
// once per tile.
#include <cuda_runtime.h>
#include <math.h>

#include <cstddef>

constexpr int kWarp = 32, kWarps = 8, kMost = 128 / kWarp;  // elements of a row that a lane has

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* output,
                                 int M, int N, int d) {
  // kWarps queries of d words; kWarp keys of d + 1, so that lanes which read one element of 32 keys
  // find them in different banks; kWarp values of d.
  extern __shared__ float memory[];
  float* queries = memory;
  float* keys = queries + kWarps * d;
  float* values = keys + kWarp * (d + 1);
  const int lane = threadIdx.x, warp = threadIdx.y, thread = warp * kWarp + lane;
  const int first_query = blockIdx.x * kWarps;
  for (int i = thread; i < kWarps * d; i += kWarp * kWarps)
    queries[i] = first_query + i / d < M ? Q[std::size_t(first_query) * d + i] : 0.0f;

  float mean[kMost] = {}, most = -INFINITY, sum = 0.0f;
  const float scale = 1.0f / sqrtf(float(d));
  for (int first = 0; first < N; first += kWarp) {
    const int count = min(kWarp, N - first);
    __syncthreads();  // the last tile has been used
    for (int i = thread; i < count * d; i += kWarp * kWarps) {
      keys[i / d * (d + 1) + i % d] = K[std::size_t(first) * d + i];
      values[i] = V[std::size_t(first) * d + i];
    }
    __syncthreads();
    // Lane l has the score of key first + l.
    float score = -INFINITY;
    if (lane < count) {
      score = 0.0f;
      for (int i = 0; i < d; ++i) score += queries[warp * d + i] * keys[lane * (d + 1) + i];
      score *= scale;
    }
    float larger = fmaxf(most, score);
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      larger = fmaxf(larger, __shfl_xor_sync(0xffffffff, larger, distance));
    const float keep = expf(most - larger), weight = expf(score - larger);
    float weights = weight;
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      weights += __shfl_xor_sync(0xffffffff, weights, distance);
    sum = sum * keep + weights;
#pragma unroll
    for (int i = 0; i < kMost; ++i) mean[i] *= keep;
    for (int key = 0; key < count; ++key) {
      const float of_key = __shfl_sync(0xffffffff, weight, key);
#pragma unroll
      for (int i = 0; i < kMost; ++i)
        if (lane + kWarp * i < d) mean[i] += of_key * values[key * d + lane + kWarp * i];
    }
    most = larger;
  }
  if (first_query + warp >= M) return;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    const int at = lane + kWarp * i;
    if (at < d) output[std::size_t(first_query + warp) * d + at] = mean[i] / sum;
  }
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int M, int N,
                      int d) {
  const int words = kWarps * d + kWarp * (d + 1) + kWarp * d;
  attention_kernel<<<(M + kWarps - 1) / kWarps, dim3(kWarp, kWarps), words * sizeof(float)>>>(
      Q, K, V, output, M, N, d);
}
