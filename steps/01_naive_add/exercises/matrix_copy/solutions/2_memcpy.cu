// The runtime has a copy, made by people who know the GPU. It counts bytes, not elements, and does
// not look at them: the bits of a NaN stay what they are.
#include <cuda_runtime.h>

#include <cstddef>

extern "C" void solve(const float* A, float* B, int N) {
  const std::size_t bytes = std::size_t(N) * N * sizeof(float);  // size_t first: N * N overflows
  cudaMemcpyAsync(B, A, bytes, cudaMemcpyDeviceToDevice);
}
