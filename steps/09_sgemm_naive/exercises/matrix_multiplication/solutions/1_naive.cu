// One thread per element of C. The threads of a warp are neighbors in a row of C: they read the
// same element of A, a broadcast, and neighbors in a row of B. Two loads for each multiplication.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockCols = 32;  // threads of a block in x: one warp
constexpr int kBlockRows = 8;

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned blocks_across = (K - 1) / kBlockCols + 1;
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
  if (row < M && col < K) {
    float sum = 0.0f;
    for (int n = 0; n < N; ++n) {  // 64 bits: the matrices may have more than 2^31 elements
      sum += A[std::size_t(row) * N + n] * B[std::size_t(n) * K + col];
    }
    C[std::size_t(row) * K + col] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(kBlockCols, kBlockRows);
  const unsigned blocks = ((M - 1) / kBlockRows + 1) * ((K - 1) / kBlockCols + 1);
  matmul_kernel<<<blocks, block>>>(A, B, C, M, N, K);
}
