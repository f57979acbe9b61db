// sgemm_threadtile_split that splits a thread's tile where it reads, and not where it stores.
//
// A thread's second rows and columns go to its neighbors' places in C; which values end up there
// depends on which thread writes last, and most of the tile is never written.
//
// Rejected by: result with --m 70 --n 131 --k 20
#pragma once

#include "../6_sgemm_threadtile_split.cuh"

namespace split_reads_only {

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
template <int BM, int BN, int BK, int TM, int TN, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize) sgemm_threadtile_split_kernel(  //
    const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int kPad = 4;  // moves the rows of As apart by 4 banks, and keeps them 16-byte aligned
  alignas(16) __shared__ float As[BK][BM + kPad];  // transposed
  alignas(16) __shared__ float Bs[BK][BN];
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

  // This thread's tile is split into 4x4 parts, kStepM and kStepN apart, the first at (row, col).
  constexpr int kStepM = BM / (TM / 4);
  constexpr int kStepN = BN / (TN / 4);
  const int row = threadIdx.x / (BN / TN) * 4;
  const int col = threadIdx.x % (BN / TN) * 4;

  float sum[TM][TN] = {};
  for (int depth = K; depth > 0; depth -= BK, A += BK, B += BK * ldb) {  // the rest of K
    for (int start = 0; start < BM * BK / 4; start += kBlockSize) {
      const int r = (start + threadIdx.x) / (BK / 4), c = (start + threadIdx.x) % (BK / 4) * 4;
      const float4 v = load4(A + r * lda + c, r < rows ? depth - c : 0);
      As[c + 0][r] = v.x;
      As[c + 1][r] = v.y;
      As[c + 2][r] = v.z;
      As[c + 3][r] = v.w;
    }
    for (int start = 0; start < BK * BN / 4; start += kBlockSize) {
      const int r = (start + threadIdx.x) / (BN / 4), c = (start + threadIdx.x) % (BN / 4) * 4;
      *reinterpret_cast<float4*>(&Bs[r][c]) = load4(B + r * ldb + c, r < depth ? cols - c : 0);
    }
    __syncthreads();  // the tiles are complete

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int m = 0; m < TM; m += 4) copy4(&a[m], &As[k][row + m / 4 * kStepM]);
      for (int n = 0; n < TN; n += 4) copy4(&b[n], &Bs[k][col + n / 4 * kStepN]);
      for (int m = 0; m < TM; ++m) {  // the outer product of a and b
        for (int n = 0; n < TN; ++n) sum[m][n] += a[m] * b[n];
      }
    }
    __syncthreads();  // and free for the next ones
  }

  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; ++n) {
      const int r = row + m, c = col + n;
      if (r < rows && c < cols) C[r * ldc + c] = sum[m][n];
    }
  }
}

inline void sgemm_threadtile_split(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = 128, BN = 128, BK = 8;
  constexpr int TM = 8, TN = 8;
  constexpr int kBlockSize = BM / TM * (BN / TN);  // one thread per thread tile
  static_assert(BM % TM == 0 && BN % TN == 0, "thread tiles fill the block tile");
  static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % 4 == 0, "float4s fill the tiles");
  static_assert(BM * BK % (4 * kBlockSize) == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  sgemm_threadtile_split_kernel<BM, BN, BK, TM, TN, kBlockSize>
      <<<tiles_m * tiles_n, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}

}  // namespace split_reads_only
