// Matrix product, C = A * B, row-major: every warp and every lane in its place.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "float4.cuh"

// A block of kThreads threads computes a tile of C, (kTileM, kTileN).
constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 8;  // K is walked in slices of this depth
constexpr int kThreads = 256;

// [sgemm_warptile]
// C = A * B, row-major. A thread computes a tile of C in registers.
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN>
__global__ void __launch_bounds__(kThreads) sgemm_warptile_kernel(  //
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

  // This thread's tile is cut into 4x4 parts, kStepM rows and kStepN columns apart, so that
  // neighbouring lanes read neighbouring float4s. The first one is at (row, col).
  constexpr int kStepM = WM / (TM / 4);
  constexpr int kStepN = WN / (TN / 4);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int lane_row = lane / (WN / TN);
  const int lane_col = lane % (WN / TN);
  const int row = warp / (BN / WN) * WM + lane_row * 4;
  const int col = warp % (BN / WN) * WN + lane_col * 4;

  float sum[TM][TN] = {};
  for (int depth = K; depth > 0; depth -= BK) {  // what is left of K
    for (int start = 0; start < BM * BK / 4; start += kThreads) {
      const int r = (start + threadIdx.x) / (BK / 4);
      const int c = (start + threadIdx.x) % (BK / 4) * 4;
      const float4 v = load4(A + r * lda + c, r < rows ? depth - c : 0);
      As[c + 0][r] = v.x;
      As[c + 1][r] = v.y;
      As[c + 2][r] = v.z;
      As[c + 3][r] = v.w;
    }
    for (int start = 0; start < BK * BN / 4; start += kThreads) {
      const int r = (start + threadIdx.x) / (BN / 4);
      const int c = (start + threadIdx.x) % (BN / 4) * 4;
      const float4 v = load4(B + r * ldb + c, r < depth ? cols - c : 0);
      *reinterpret_cast<float4*>(&Bs[r][c]) = v;
    }
    __syncthreads();  // the tiles are complete

    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int m = 0; m < TM; m += 4) copy4(&a[m], &As[k][row + m / 4 * kStepM]);
      for (int n = 0; n < TN; n += 4) copy4(&b[n], &Bs[k][col + n / 4 * kStepN]);
      for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; ++n) sum[m][n] += a[m] * b[n];
      }
    }
    __syncthreads();  // and now free for the next ones

    A += BK;
    B += BK * ldb;
  }

  for (int m = 0; m < TM; ++m) {
    const int r = row + m / 4 * kStepM + m % 4;
    for (int n = 0; n < TN; n += 4) {
      const int c = col + n / 4 * kStepN;
      store4(C + r * ldc + c, &sum[m][n], r < rows ? cols - c : 0);
    }
  }
}

inline void sgemm_warptile(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = kTileM, BN = kTileN, BK = kTileK;
  constexpr int WM = 32, WN = 64;
  constexpr int TM = 8, TN = 8;
  static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles fill the block tile");
  static_assert(kThreads == (BM / WM) * (BN / WN) * 32, "a warp for each warp tile");
  static_assert(32 == (WM / TM) * (WN / TN), "a lane for each thread tile");
  static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % 4 == 0, "float4s fill the tiles");
  static_assert(BM * BK % (4 * kThreads) == 0 && BK * BN % (4 * kThreads) == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  sgemm_warptile_kernel<BM, BN, BK, WM, WN, TM, TN>
      <<<tiles_m * tiles_n, kThreads, 0, stream>>>(A, B, C, M, N, K);
}
// [sgemm_warptile]

// These use the constants above.
#include "sgemm_pipelined.cuh"
#include "sgemm_tuned.cuh"
#include "sgemm_warptile_zorder.cuh"
