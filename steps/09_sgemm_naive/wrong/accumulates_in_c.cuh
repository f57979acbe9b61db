// sgemm_naive that adds up the products in C itself, and never sets it to zero.
//
// The old contents of C become part of the sum: nothing in fresh memory, the last result in a loop
// that runs twice.
//
// Rejected by: initcheck (uninitialized) with --m 70 --n 131 --k 20
#pragma once

#include "../1_sgemm_naive.cuh"

namespace accumulates_in_c {

// A block computes a tile of C, (BM, BN); a thread, one element of it.
template <int BM, int BN, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize) sgemm_naive_kernel(  //
    const float* A, const float* B, float* C, int M, int N, int K) {
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31

  // The tiles lie in one row of blocks; a warp's lanes are neighbors in a row of C.
  const int tiles_n = (N - 1) / BN + 1;
  const int row = blockIdx.x / tiles_n * BM + threadIdx.x / BN;
  const int col = blockIdx.x % tiles_n * BN + threadIdx.x % BN;
  if (row >= M || col >= N) return;

  for (int k = 0; k < K; ++k) C[row * ldc + col] += A[row * lda + k] * B[k * ldb + col];
}

inline void sgemm_naive(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int kWarpSize = 32;
  constexpr int BM = 8, BN = 32;
  constexpr int kBlockSize = BM * BN;  // one thread per element of the tile
  static_assert(BN % kWarpSize == 0, "a warp's lanes are neighbors in a row of C");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  sgemm_naive_kernel<BM, BN, kBlockSize>
      <<<tiles_m * tiles_n, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}

}  // namespace accumulates_in_c
