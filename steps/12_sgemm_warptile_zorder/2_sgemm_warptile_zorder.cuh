// Matrix product, C = A * B, row-major: the lanes of a warp lie in Z order, so that lanes that are
// served together read the same words.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "float4.cuh"
#include "store4.cuh"
#include "tiling.cuh"
#include "zorder.cuh"

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
template <class Tile>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_warptile_zorder_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  constexpr int TM = Tile::TM, TN = Tile::TN, kBlockSize = Tile::kBlockSize;
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
  constexpr int kStepM = Tile::kStepM, kStepN = Tile::kStepN;
  const auto [row, col] = zorder_place<Tile>();

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
    for (int n = 0; n < TN; n += 4) {
      const int r = row + m / 4 * kStepM + m % 4, c = col + n / 4 * kStepN;
      store4(C + r * ldc + c, &sum[m][n], r < rows ? cols - c : 0);
    }
  }
}

inline void sgemm_warptile_zorder(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 128, 8, 32, 64, 8, 8, 1, 2>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * BK % (4 * kBlockSize) == 0 && BK * BN % (4 * kBlockSize) == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  sgemm_warptile_zorder_kernel<Tile>
      <<<tiles_m * tiles_n, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}
