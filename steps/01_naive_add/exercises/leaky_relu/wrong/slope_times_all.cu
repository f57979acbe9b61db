// leaky_relu that scales every element, and then takes the larger of that and zero.
//
// max(0.01 x, 0) loses the negative side, and shrinks the positive one. The formula is max(x, 0.01
// x).
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr float kSlope = 0.01f;  // of the negative side

__global__ void leaky_relu_kernel(float* x, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const float value = x[i];
    x[i] = fmaxf(kSlope * value, 0.0f);
  }
}

extern "C" void solve(float* x, int n) {
  const int blocks = (n - 1) / kBlockSize + 1;
  leaky_relu_kernel<<<blocks, kBlockSize>>>(x, n);
}
