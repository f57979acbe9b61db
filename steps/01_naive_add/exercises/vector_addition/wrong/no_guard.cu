// vector_addition without its guard.
//
// The grid consists of whole blocks. The threads of the last one that have no element add what lies
// behind the vectors, and write behind C.
//
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  const int blocks = (N - 1) / kBlockSize + 1;  // N + kBlockSize - 1 could overflow
  add_kernel<<<blocks, kBlockSize>>>(A, B, C, N);
}
