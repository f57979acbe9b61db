// matrix_multiplication that takes the rows of B to be N long.
//
// B has N rows of K elements. Right for square matrices; for others it reads the wrong elements,
// and where N is larger than K such that are not there.
//
// Rejected by: result
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
      sum += A[std::size_t(row) * N + n] * B[std::size_t(n) * N + col];
    }
    C[std::size_t(row) * K + col] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(kBlockCols, kBlockRows);
  const unsigned blocks = ((M - 1) / kBlockRows + 1) * ((K - 1) / kBlockCols + 1);
  matmul_kernel<<<blocks, block>>>(A, B, C, M, N, K);
}
