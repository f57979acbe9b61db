// sgemm_pipelined that never closes its groups of copies.
//
// Waiting is for closed groups. There are none, so that no wait waits for anything, and the tiles
// are read before they are there.
//
// Rejected by: racecheck (race) with --m 70 --n 131 --k 40
#pragma once

#include "../kernel.cuh"

namespace no_commit {

__device__ inline void copy1_async(float* to, const float* from, bool inside) {
  if (inside) {
    __pipeline_memcpy_async(to, from, sizeof(float));
  } else {
    *to = 0.0f;
  }
}

__device__ inline void copy4_async(float* to, const float* from, int count) {
  if (count >= 4 && reinterpret_cast<std::uintptr_t>(from) % sizeof(float4) == 0) {
    __pipeline_memcpy_async(to, from, sizeof(float4));
    return;
  }
  for (int i = 0; i < 4; ++i) copy1_async(to + i, from + i, i < count);
}

// C = A * B, row-major. While a block multiplies one pair of tiles, the next ones are on their way.
// Two blocks an SM: no more than 128 registers a thread.
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int kStages>
__global__ void __launch_bounds__(kThreads, 2) sgemm_pipelined_kernel(  //
    const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int kPad = 4;  // moves the rows of As apart by 4 banks, and keeps them 16-byte aligned
  alignas(16) __shared__ float As[kStages][BK][BM + kPad];  // transposed
  alignas(16) __shared__ float Bs[kStages][BK][BN];
  static_assert(sizeof(As) + sizeof(Bs) <= 48 * 1024, "a block has 48 KiB without asking for more");
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
  const int lane_row = even_bits(lane / 2);
  const int lane_col = even_bits(lane);
  const int row = warp / (BN / WN) * WM + lane_row * 4;
  const int col = warp % (BN / WN) * WN + lane_col * 4;

  // Starts the copies of the next pair of tiles into `stage`, and closes them as one group. Past
  // the end of K the group is empty.
  int depth_to_copy = K;
  const auto copy_tiles = [&](int stage) {
    if (depth_to_copy > 0) {
      for (int start = 0; start < BM * BK; start += kThreads) {
        const int r = (start + threadIdx.x) / BK;
        const int c = (start + threadIdx.x) % BK;
        copy1_async(&As[stage][c][r], A + r * lda + c, r < rows && c < depth_to_copy);
      }
      for (int start = 0; start < BK * BN / 4; start += kThreads) {
        const int r = (start + threadIdx.x) / (BN / 4);
        const int c = (start + threadIdx.x) % (BN / 4) * 4;
        copy4_async(&Bs[stage][r][c], B + r * ldb + c, r < depth_to_copy ? cols - c : 0);
      }
      A += BK;
      B += BK * ldb;
      depth_to_copy -= BK;
    }
  };
  for (int stage = 0; stage < kStages - 1; ++stage) copy_tiles(stage);

  float sum[TM][TN] = {};
  int stage = 0;
  for (int depth = K; depth > 0; depth -= BK) {  // what is left of K
    __pipeline_wait_prior(kStages - 2);          // this thread's copies into `stage` have arrived,
    __syncthreads();                             // everybody's have, and the stage before is free
    copy_tiles((stage + kStages - 1) % kStages);

    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int m = 0; m < TM; m += 4) copy4(&a[m], &As[stage][k][row + m / 4 * kStepM]);
      for (int n = 0; n < TN; n += 4) copy4(&b[n], &Bs[stage][k][col + n / 4 * kStepN]);
      for (int m = 0; m < TM; ++m) {
        for (int n = 0; n < TN; ++n) sum[m][n] += a[m] * b[n];
      }
    }
    stage = (stage + 1) % kStages;
  }

  for (int m = 0; m < TM; ++m) {
    const int r = row + m / 4 * kStepM + m % 4;
    for (int n = 0; n < TN; n += 4) {
      const int c = col + n / 4 * kStepN;
      store4(C + r * ldc + c, &sum[m][n], r < rows ? cols - c : 0);
    }
  }
}

inline void sgemm_pipelined(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = kTileM, BN = kTileN, BK = kTileK;
  constexpr int WM = 32, WN = 64;
  constexpr int TM = 8, TN = 8;
  constexpr int kStages = 4;
  static_assert(kStages >= 2, "one stage is computed on while another is filled");
  static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles fill the block tile");
  static_assert(kThreads == (BM / WM) * (BN / WN) * 32, "a warp for each warp tile");
  static_assert(WM / TM == 4 && WN / TN == 8, "lanes have 2 bits of row and 3 of column");
  static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % 4 == 0, "float4s fill the tiles");
  static_assert(BM * BK % kThreads == 0 && BK * BN % (4 * kThreads) == 0,
                "the threads share the copying");

  if (M <= 0 || N <= 0) return;
  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  sgemm_pipelined_kernel<BM, BN, BK, WM, WN, TM, TN, kStages>
      <<<tiles_m * tiles_n, kThreads, 0, stream>>>(A, B, C, M, N, K);
}

}  // namespace no_commit
