// gelu by the approximation with tanh.
//
// It is within 0.0005 of the function, which is more than rounding explains.
//
// Rejected by: result
#include <cuda_runtime.h>

__device__ float gelu(float x) {
  constexpr float kRoot = 0.79788456f;  // sqrt(2 / pi)
  return 0.5f * x * (1.0f + tanhf(kRoot * (x + 0.044715f * x * x * x)));
}

__global__ void gelu_kernel(const float* input, float* output, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) output[i] = gelu(input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
  const int threads = 256;
  const int blocks = (N + threads - 1) / threads;
  gelu_kernel<<<blocks, threads>>>(input, output, N);
}
