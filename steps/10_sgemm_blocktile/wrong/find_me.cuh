// Matrix product, C = A * B, row-major: a block shares tiles of A and B. A warp is a row of
// threads; it copies the row of A's tile that it reads and need not wait for the whole block twice.
#pragma once

#include "../1_sgemm_blocktile.cuh"

namespace find_me {

// A block computes a tile of C, (BM, BN); a thread, one element of it.
template <int BM, int BN, int BK, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize) sgemm_blocktile_kernel(  //
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

  const int row = threadIdx.x / BN;
  const int col = threadIdx.x % BN;

  float sum = 0.0f;
  for (int depth = K; depth > 0; depth -= BK, A += BK, B += BK * ldb) {  // the rest of K
    As[row][col] = row < rows && col < depth ? A[row * lda + col] : 0.0f;
    Bs[row][col] = row < depth && col < cols ? B[row * ldb + col] : 0.0f;
    __syncwarp();  // the tiles are complete

#pragma unroll
    for (int k = 0; k < BK; ++k) sum += As[row][k] * Bs[k][col];
    __syncthreads();  // and free for the next ones
  }

  if (row < rows && col < cols) C[row * ldc + col] = sum;
}

inline void sgemm_blocktile(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int kWarpSize = 32;
  constexpr int BM = 32, BN = 32, BK = 32;
  constexpr int kBlockSize = BM * BN;  // one thread per element of the tile
  static_assert(BN % kWarpSize == 0, "a warp's lanes are neighbors in a row of C");
  static_assert(BM == BK && BN == BK, "a thread copies one element of each tile");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  sgemm_blocktile_kernel<BM, BN, BK, kBlockSize>
      <<<tiles_m * tiles_n, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}

}  // namespace find_me
