// The squared distances of all pairs of points. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void distances_kernel(const float* X, const float* Y, float* D, int M, int N, int dims) {
  // TODO: D[i * N + j] = the sum over d of (X[i * dims + d] - Y[j * dims + d]) squared.
}

// X: M x dims floats; Y: N x dims floats; D: M x N floats; all in device memory.
extern "C" void solve(const float* X, const float* Y, float* D, int M, int N, int dims) {
  const dim3 block(32, 8);
  const dim3 grid((N + 31) / 32, (M + 7) / 8);
  distances_kernel<<<grid, block>>>(X, Y, D, M, N, dims);
}
