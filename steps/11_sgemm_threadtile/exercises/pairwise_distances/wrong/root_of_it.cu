// pairwise_distances that takes the square root.
//
// The square of the distance is asked for.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

__global__ void distances_kernel(const float* X, const float* Y, float* D, int M, int N, int dims) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= M || j >= N) return;
  float sum = 0.0f;
  for (int d = 0; d < dims; ++d) {
    const float difference = X[std::size_t(i) * dims + d] - Y[std::size_t(j) * dims + d];
    sum += difference * difference;
  }
  D[std::size_t(i) * N + j] = sqrtf(sum);
}

extern "C" void solve(const float* X, const float* Y, float* D, int M, int N, int dims) {
  const dim3 block(32, 8);
  const dim3 grid((N + 31) / 32, (M + 7) / 8);
  distances_kernel<<<grid, block>>>(X, Y, D, M, N, dims);
}
