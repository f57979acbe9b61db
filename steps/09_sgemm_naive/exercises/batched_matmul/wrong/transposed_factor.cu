// batched_matmul that walks along a row of B instead of a column.
//
// That is the product with the transposed B.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

__global__ void matmul_kernel(const float* A, const float* B, float* C, int batch, int n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= std::size_t(batch) * n * n) return;
  const std::size_t first = i / (n * n) * (n * n);
  const float* a = A + first + i / n % n * n;  // a row
  const float* b = B + first + i % n * n;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  C[i] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int batch, int n) {
  const int threads = 256;
  const std::size_t all = std::size_t(batch) * n * n;
  matmul_kernel<<<unsigned((all + threads - 1) / threads), threads>>>(A, B, C, batch, n);
}
