// linear_relu that takes the bias of the row.
//
// There is one per column. If there are more rows than columns it also reads past the end of b.
//
// May also show: memcheck (out_of_bounds)
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

__global__ void linear_relu_kernel(const float* X, const float* W, const float* b, float* Y, int M,
                                   int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = b[row];
  for (int k = 0; k < K; ++k) sum += X[std::size_t(row) * K + k] * W[std::size_t(k) * N + col];
  Y[std::size_t(row) * N + col] = fmaxf(sum, 0.0f);
}

extern "C" void solve(const float* X, const float* W, const float* b, float* Y, int M, int N,
                      int K) {
  const dim3 block(32, 8);
  const dim3 grid((N + 31) / 32, (M + 7) / 8);
  linear_relu_kernel<<<grid, block>>>(X, W, b, Y, M, N, K);
}
