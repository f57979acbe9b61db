// sgemm_pipelined that leaves one group too many on its way.
//
// The group that it does not wait for is the one it needs: it may read a stage before its tiles are
// there. On a GPU that is not busy they often are.
//
// Rejected by: racecheck (race) with --m 70 --n 131 --k 40
#pragma once

#include "../4_sgemm_pipelined.cuh"

namespace waits_for_too_few {

// Starts to copy a slice of A, (rows, depth), and one of B, (depth, cols), and zeros for the rest.
template <class Tile, int kPack>
__device__ void sgemm_pipelined_copy_slice(  //
    typename Tile::Stage& stage, const float* A, std::size_t lda, int rows, const float* B,
    std::size_t ldb, int cols, int depth) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  // Eight lanes copy one sector of a row of A; more lanes per row would collide in the banks.
  for (int start = 0; start < BM * BK; start += kBlockSize) {
    const int r = start % (BM * 8) / 8 + threadIdx.x / 8;
    const int c = start / (BM * 8) * 8 + threadIdx.x % 8;
    const int zeros = r < rows && c < depth ? 0 : sizeof(float);
    __pipeline_memcpy_async(&stage.A[c][r], A + r * lda + c, sizeof(float), zeros);
  }
  constexpr int kLanesB = kBlockSize / BK;  // that copy a row of B
  for (int start = 0; start < BN; start += kLanesB * kPack) {
    const int r = threadIdx.x / kLanesB;
    const int c = start + threadIdx.x % kLanesB * kPack;
    const int zeros = r < depth && c < cols ? 0 : kPack * sizeof(float);
    __pipeline_memcpy_async(&stage.B[r][c], B + r * ldb + c, kPack * sizeof(float), zeros);
  }
}

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_pipelined_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
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

  float sum[TM][TN] = {};
  // Each turn starts to load a new slice, zeros past the end of K, and multiplies an earlier one.
  int stage = 0;
  for (int depth = K; depth > -(kStages - 1) * BK; depth -= BK, A += BK, B += BK * ldb) {
    __pipeline_wait_prior(kStages - 1);
    __syncthreads();  // so have all others', and this stage is free
    waits_for_too_few::sgemm_pipelined_copy_slice<Tile, kPack>(stages[stage], A, lda, rows, B, ldb,
                                                               cols, depth);
    __pipeline_commit();
    if (depth <= K - (kStages - 1) * BK) {
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        const auto& [As, Bs] = stages[(stage + 1) % kStages];
        float a[TM], b[TN];
        for (int m = 0; m < TM; m += 4) copy4(&a[m], &As[k][row + m / 4 * kStepM]);
        for (int n = 0; n < TN; n += 4) copy4(&b[n], &Bs[k][col + n / 4 * kStepN]);
        for (int m = 0; m < TM; ++m) {  // the outer product of a and b
          for (int n = 0; n < TN; ++n) sum[m][n] += a[m] * b[n];
        }
      }
    }
    stage = (stage + 1) % kStages;
  }

  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; n += 4) {
      const int r = row + m / 4 * kStepM + m % 4, c = col + n / 4 * kStepN;
      store4(C + r * ldc + c, &sum[m][n], r < rows ? cols - c : 0);
    }
  }
}

inline void sgemm_pipelined(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = Tiling<128, 128, 8, 32, 64, 8, 8, 4, 2>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * BK == 4 * kBlockSize && BK * BN == 4 * kBlockSize,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  // Four floats of B are copied at once if all its rows are aligned.
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto kernel = aligned ? sgemm_pipelined_kernel<Tile, 4> : sgemm_pipelined_kernel<Tile, 1>;
  kernel<<<tiles_m * tiles_n, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}

}  // namespace waits_for_too_few
