// The dot products of all pairs of columns. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void gram_kernel(const float* A, float* G, int M, int N) {
  // TODO: G[i * N + j] = the sum over m of A[m * N + i] * A[m * N + j].
}

// A: M x N floats; G: N x N floats; both in device memory, both sizes >= 1.
extern "C" void solve(const float* A, float* G, int M, int N) {
  const dim3 block(32, 8);
  const dim3 grid((N + 31) / 32, (N + 7) / 8);
  gram_kernel<<<grid, block>>>(A, G, M, N);
}
