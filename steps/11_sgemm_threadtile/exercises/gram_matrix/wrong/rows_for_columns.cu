// gram_matrix that multiplies rows of A instead of columns.
//
// That is A A^T. Right in no case but the smallest; for long rows it also leaves the matrix.
//
// May also show: memcheck (out_of_bounds)
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

#include <cstddef>

__global__ void gram_kernel(const float* A, float* G, int M, int N) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= N || j >= N) return;
  float sum = 0.0f;
  for (int m = 0; m < M; ++m) sum += A[std::size_t(i) * N + m] * A[std::size_t(j) * N + m];
  G[std::size_t(i) * N + j] = sum;
}

extern "C" void solve(const float* A, float* G, int M, int N) {
  const dim3 block(32, 8);
  const dim3 grid((N + 31) / 32, (N + 7) / 8);
  gram_kernel<<<grid, block>>>(A, G, M, N);
}
