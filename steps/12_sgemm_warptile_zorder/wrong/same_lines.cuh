// sgemm_short_k_lines whose rows of C all go through the same lines of shared memory.
//
// One barrier stands between writing them and storing them, none between storing and writing the
// next. A warp that is ahead overwrites what a slower one has yet to store.
//
// Rejected by: racecheck (race) with --m 32 --n 515 --k 3
#pragma once

#include "../25_sgemm_short_k_lines.cuh"

namespace same_lines {

// A block computes `most_rows` rows of C, of kColumns columns per thread. K <= BK.
template <int BK, int kColumns, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize)
    sgemm_short_k_lines_kernel(const float* __restrict__ A, const float* __restrict__ B,
                               float* __restrict__ C, int M, int N, int K, int most_rows) {
  constexpr int BN = kColumns * kBlockSize;
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31
  extern __shared__ float4 storage[];
  auto* const As = reinterpret_cast<float(*)[BK + 4]>(storage);  // (most_rows, BK)

  const int tiles_n = (N - 1) / BN + 1;
  const std::size_t first_row = blockIdx.x / tiles_n * std::size_t(most_rows);
  const std::size_t first_col = blockIdx.x % tiles_n * std::size_t{BN};
  const int rows = min(std::size_t(most_rows), M - first_row);
  const int cols = min(std::size_t{BN}, N - first_col);
  A += first_row * lda;              // (rows, K)
  B += first_col;                    // (K, cols)
  C += first_row * ldc + first_col;  // (rows, cols)

  load_rows<BK, kBlockSize>(As, most_rows, A, lda, rows, K);
  float b[kColumns][BK];
  load_columns<BK, kColumns, kBlockSize>(b, B, ldb, threadIdx.x, cols, K);
  constexpr int kWarps = kBlockSize / kWarpSize;
  __shared__ alignas(float4) float lines[1][kWarps][BN + kLine];  // for a row per warp
  __syncthreads();
  int turn = 0;
  for (int first = 0; first < rows; first += kWarps) {
#pragma unroll
    for (int i = 0; i < kWarps; ++i) {
      const int r = min(first + i, rows - 1);
      float sum[kColumns] = {};
      multiply_row<BK, kColumns>(As[r], b, sum);
      float* const to = lines[turn][i] + floats_before(C + r * ldc) + threadIdx.x;
      for (int c = 0; c < kColumns; ++c) to[c * kBlockSize] = sum[c];
    }
    __syncthreads();
    const int warp = threadIdx.x / kWarpSize, row = first + warp;
    if (row < rows) store_lines<BN>(C + row * ldc, lines[turn][warp], cols);
  }
}

// With registers for kFirst, kFirst + 4 ... kLongest elements of a column.
template <int kColumns, int kBlockSize, int kFirst, int kLongest>
void sgemm_short_k_lines_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  const int rows = short_k_rows(multiprocessors(), M, N, K, kBlockSize, kColumns);
  const unsigned tiles_m = (M - 1) / rows + 1, tiles_n = (N - 1) / (kColumns * kBlockSize) + 1;
  with_registers_for<kFirst, kLongest>(K, [&]<int BK>() {
    const std::size_t shared_bytes = rows * (BK + 4) * sizeof(float);
    same_lines::sgemm_short_k_lines_kernel<BK, kColumns, kBlockSize>
        <<<tiles_m * tiles_n, kBlockSize, shared_bytes, stream>>>(A, B, C, M, N, K, rows);
  });
}

inline void sgemm_short_k_lines(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  if (K > kLongestShortK || N <= kShortKBlock) return sgemm_small(A, B, C, M, N, K, stream);
  same_lines::sgemm_short_k_lines_launch<2, kShortKBlock, 4, kLongestShortK>(A, B, C, M, N, K,
                                                                             stream);
}

}  // namespace same_lines
