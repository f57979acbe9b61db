// A block loads some whole matrices in the input's order, and stores them in the output's. Rows in
// shared memory are one word longer, so that the words of a column are in different banks.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kThreads = 256, kMostWords = 4096;  // of the matrices of a block

__global__ void transpose_kernel(const float* input, float* output, int batch, int n, int most) {
  extern __shared__ float tile[];  // most matrices, of n rows of n + 1 words each
  const int size = n * n;
  const int first = blockIdx.x * most;
  const int words = (batch - first < most ? batch - first : most) * size;
  const float* in = input + std::size_t(first) * size;
  float* out = output + std::size_t(first) * size;
  for (int i = threadIdx.x; i < words; i += kThreads) tile[i / n * (n + 1) + i % n] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += kThreads) {
    const int matrix = i / size, row = i / n % n, col = i % n;
    out[i] = tile[(matrix * n + col) * (n + 1) + row];
  }
}

extern "C" void solve(const float* input, float* output, int batch, int n) {
  const int most = kMostWords / (n * n);
  const int blocks = (batch - 1) / most + 1;
  const int bytes = most * n * (n + 1) * sizeof(float);
  transpose_kernel<<<blocks, kThreads, bytes>>>(input, output, batch, n, most);
}
