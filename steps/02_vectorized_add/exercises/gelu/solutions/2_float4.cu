// Four elements per thread and access: a quarter of the instructions, and four times as many bytes
// in flight per warp. The first threads of the grid take the one to three elements that remain.
#include <cuda_runtime.h>

__device__ float gelu(float x) {
  constexpr float kRootHalf = 0.70710678f;  // 1 / sqrt(2)
  return 0.5f * x * (1.0f + erff(x * kRootHalf));
}

__global__ void gelu_kernel(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;     // fade 2
  const int packs = N / 4;                                 // fade 2
  if (i < packs) {                                         // fade 1
    float4 x = reinterpret_cast<const float4*>(input)[i];  // fade 2
    x.x = gelu(x.x);                                       // fade 2
    x.y = gelu(x.y);
    x.z = gelu(x.z);
    x.w = gelu(x.w);
    reinterpret_cast<float4*>(output)[i] = x;  // fade 2
  }
  const int rest = 4 * packs + i;                  // fade 1
  if (rest < N) output[rest] = gelu(input[rest]);  // fade 2
}

extern "C" void solve(const float* input, float* output, int N) {
  const int threads = 256;
  const int blocks = (N / 4 + threads) / threads;      // at least one, for the rest // fade 1
  gelu_kernel<<<blocks, threads>>>(input, output, N);  // fade 2
}
