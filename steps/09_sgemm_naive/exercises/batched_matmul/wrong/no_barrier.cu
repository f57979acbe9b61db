// batched_matmul that multiplies before both factors are copied.
//
// A row and a column were copied by many threads, of other warps too.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kThreads = 256;

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  extern __shared__ float factors[];
  const int size = n * n;
  const std::size_t first = std::size_t(blockIdx.x) * size;
  float* a = factors;
  float* b = factors + size;
  for (int i = threadIdx.x; i < size; i += kThreads) {
    a[i] = A[first + i];
    b[i] = B[first + i];
  }
  for (int i = threadIdx.x; i < size; i += kThreads) {
    const int row = i / n, col = i % n;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    C[first + i] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int batch, int n) {
  matmul_kernel<<<batch, kThreads, 2 * n * n * sizeof(float)>>>(A, B, C, n);
}
