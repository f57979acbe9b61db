// sigmoid without the minus sign in the exponential.
//
// It falls where it should rise; right at x = 0, where it is 1/2 either way.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void sigmoid_kernel(const float* x, float* y, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(x[i]));
}

extern "C" void solve(const float* x, float* y, int N) {
  const int blocks = (N - 1) / kBlockSize + 1;
  sigmoid_kernel<<<blocks, kBlockSize>>>(x, y, N);
}
