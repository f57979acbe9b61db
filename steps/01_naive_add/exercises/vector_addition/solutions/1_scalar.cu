// One thread per element: neighboring threads read neighboring floats, so every sector is used
// whole. A thread has 8 bytes under way, too few to keep the memory of a large GPU busy.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {  // the last block may reach past the end
    c[i] = a[i] + b[i];
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  const int blocks = (N - 1) / kBlockSize + 1;  // N + kBlockSize - 1 could overflow
  add_kernel<<<blocks, kBlockSize>>>(A, B, C, N);
}
