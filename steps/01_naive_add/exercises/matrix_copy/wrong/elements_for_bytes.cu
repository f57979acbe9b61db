// matrix_copy that tells cudaMemcpy how many elements there are.
//
// It counts bytes: three quarters of the matrix are never written.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

extern "C" void solve(const float* A, float* B, int N) {
  const std::size_t elements = std::size_t(N) * N;
  cudaMemcpyAsync(B, A, elements, cudaMemcpyDeviceToDevice);
}
