// leaky_relu whose slope is a quotient of integers.
//
// 1 / 100 is 0, before it becomes a float: this is a relu that does not leak.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;    // threads in a block
constexpr float kSlope = 1 / 100;  // of the negative side

__global__ void leaky_relu_kernel(float* x, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const float value = x[i];
    x[i] = value > 0.0f ? value : kSlope * value;
  }
}

extern "C" void solve(float* x, int n) {
  const int blocks = (n - 1) / kBlockSize + 1;
  leaky_relu_kernel<<<blocks, kBlockSize>>>(x, n);
}
