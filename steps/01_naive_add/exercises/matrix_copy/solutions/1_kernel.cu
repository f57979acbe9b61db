// One thread per element. A copy keeps the order of the elements, so rows do not matter: the matrix
// is one vector of N * N elements, and every request of a warp is for 128 neighboring bytes.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void copy_kernel(const float* a, float* b, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i];
}

extern "C" void solve(const float* A, float* B, int N) {
  const std::size_t elements = std::size_t(N) * N;  // as an int it overflows from N = 46341 on
  const auto blocks = static_cast<unsigned>((elements - 1) / kBlockSize + 1);
  copy_kernel<<<blocks, kBlockSize>>>(A, B, elements);
}
