// vector_addition whose number of blocks is rounded down.
//
// Below 256 elements the grid is empty, which is a launch error that nobody asks for; above, the
// elements behind the last whole block are never written.
//
// Rejected by: launch
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
  const int blocks = N / kBlockSize;
  add_kernel<<<blocks, kBlockSize>>>(A, B, C, N);
}
