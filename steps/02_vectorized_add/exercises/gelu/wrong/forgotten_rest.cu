// gelu in packs of four that forgets the elements after the last whole pack.
//
// With an N that is no multiple of four, one to three elements are never written.
//
// Rejected by: result
#include <cuda_runtime.h>

__device__ float gelu(float x) {
  constexpr float kRootHalf = 0.70710678f;  // 1 / sqrt(2)
  return 0.5f * x * (1.0f + erff(x * kRootHalf));
}

__global__ void gelu_kernel(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int packs = N / 4;
  if (i < packs) {
    float4 x = reinterpret_cast<const float4*>(input)[i];
    x.x = gelu(x.x);
    x.y = gelu(x.y);
    x.z = gelu(x.z);
    x.w = gelu(x.w);
    reinterpret_cast<float4*>(output)[i] = x;
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  const int threads = 256;
  const int blocks = (N / 4 + threads) / threads;  // at least one, for the rest
  gelu_kernel<<<blocks, threads>>>(input, output, N);
}
