// sgemm_double_buffer that stores the next slice where it reads this one.
//
// One buffer out of two: what one barrier per slice protects is the other one. Slower warps still
// read the slice that faster ones overwrite.
//
// Rejected by: racecheck (race) with --m 70 --n 131 --k 40
#pragma once

#include "../3_sgemm_double_buffer.cuh"

namespace same_buffer {

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
template <class Tile>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_double_buffer_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  constexpr int TM = Tile::TM, TN = Tile::TN, kStages = Tile::kStages;
  __shared__ typename Tile::Stage stages[kStages];
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

  // Each slice has four floats of A and four of B for this thread to copy.
  const int a_row = threadIdx.x / (BK / 4), a_col = threadIdx.x % (BK / 4) * 4;
  const int b_row = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
  float sum[TM][TN] = {};
  // Each turn starts to load a new slice, zeros past the end of K, and multiplies an earlier one.
  int stage = 0;
  for (int depth = K; depth > -(kStages - 1) * BK; depth -= BK, A += BK, B += BK * ldb) {
    const float4 v = load4(A + a_row * lda + a_col, a_row < rows ? depth - a_col : 0);
    const float4 w = load4(B + b_row * ldb + b_col, b_row < depth ? cols - b_col : 0);
    if (depth <= K - (kStages - 1) * BK) {
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        const auto& [As, Bs] = stages[stage];
        float a[TM], b[TN];
        for (int m = 0; m < TM; m += 4) copy4(&a[m], &As[k][row + m / 4 * kStepM]);
        for (int n = 0; n < TN; n += 4) copy4(&b[n], &Bs[k][col + n / 4 * kStepN]);
        for (int m = 0; m < TM; ++m) {  // the outer product of a and b
          for (int n = 0; n < TN; ++n) sum[m][n] += a[m] * b[n];
        }
      }
    }
    stages[stage].A[a_col + 0][a_row] = v.x;
    stages[stage].A[a_col + 1][a_row] = v.y;
    stages[stage].A[a_col + 2][a_row] = v.z;
    stages[stage].A[a_col + 3][a_row] = v.w;
    *reinterpret_cast<float4*>(&stages[stage].B[b_row][b_col]) = w;
    __syncthreads();  // the slice is complete, and the one before is free
    stage = 0;
  }

  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; n += 4) {
      const int r = row + m / 4 * kStepM + m % 4, c = col + n / 4 * kStepN;
      store4(C + r * ldc + c, &sum[m][n], r < rows ? cols - c : 0);
    }
  }
}

inline void sgemm_double_buffer(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 128, 8, 32, 64, 8, 8, 2, 2>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * BK == 4 * kBlockSize && BK * BN == 4 * kBlockSize,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  sgemm_double_buffer_kernel<Tile><<<tiles_m * tiles_n, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}

}  // namespace same_buffer
