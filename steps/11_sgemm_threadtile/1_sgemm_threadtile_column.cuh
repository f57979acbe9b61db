// Matrix product, C = A * B, row-major: a thread computes a column of 8 elements, and uses each
// element of B that it reads 8 times.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, 1), in registers.
template <int BM, int BN, int BK, int TM, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize) sgemm_threadtile_column_kernel(  //
    const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31

  // The tile of this block, and how much of it lies inside the matrix.
  const int tiles_n = (N - 1) / BN + 1;
  const int tile_row = blockIdx.x / tiles_n * BM;
  const int tile_col = blockIdx.x % tiles_n * BN;
  const int rows = min(BM, M - tile_row);
  const int cols = min(BN, N - tile_col);
  A += tile_row * lda;             // (rows, K)
  B += tile_col;                   // (K, cols)
  C += tile_row * ldc + tile_col;  // (rows, cols)

  // The first row of this thread's tile, and its column.
  const int row = threadIdx.x / BN * TM;
  const int col = threadIdx.x % BN;

  float sum[TM] = {};
  for (int depth = K; depth > 0; depth -= BK, A += BK, B += BK * ldb) {  // the rest of K
    for (int start = 0; start < BM * BK; start += kBlockSize) {
      const int r = (start + threadIdx.x) / BK, c = (start + threadIdx.x) % BK;
      As[r][c] = r < rows && c < depth ? A[r * lda + c] : 0.0f;
    }
    for (int start = 0; start < BK * BN; start += kBlockSize) {
      const int r = (start + threadIdx.x) / BN, c = (start + threadIdx.x) % BN;
      Bs[r][c] = r < depth && c < cols ? B[r * ldb + c] : 0.0f;
    }
    __syncthreads();  // the tiles are complete

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float b = Bs[k][col];
      for (int m = 0; m < TM; ++m) sum[m] += As[row + m][k] * b;
    }
    __syncthreads();  // and free for the next ones
  }

  for (int m = 0; m < TM; ++m) {
    const int r = row + m;
    if (r < rows && col < cols) C[r * ldc + col] = sum[m];
  }
}

inline void sgemm_threadtile_column(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int kWarpSize = 32;
  constexpr int BM = 64, BN = 64, BK = 8;
  constexpr int TM = 8;
  constexpr int kBlockSize = BM / TM * BN;  // one thread per thread tile
  static_assert(BN % kWarpSize == 0, "a warp's lanes are neighbors in a row of C");
  static_assert(BM % TM == 0, "thread tiles fill the block tile");
  static_assert(BM * BK % kBlockSize == 0 && BK * BN % kBlockSize == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  sgemm_threadtile_column_kernel<BM, BN, BK, TM, kBlockSize>
      <<<tiles_m * tiles_n, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}
