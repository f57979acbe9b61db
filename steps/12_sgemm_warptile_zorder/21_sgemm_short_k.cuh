// Matrix product, C = A * B, row-major, for a short K: a thread keeps columns of B in registers,
// and goes down the rows of C. Neighbors store neighbors, across the ends of short rows.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../instructions/device_attributes.cuh"
#include "small.cuh"

#include "short_k.cuh"

// A block computes `most_rows` rows of C, of kColumns columns per thread. K <= BK.
template <int BK, int kColumns, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize)
    sgemm_short_k_kernel(const float* __restrict__ A, const float* __restrict__ B,
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
  const int columns = min(N, kBlockSize), at_once = kBlockSize / columns;  // rows
  const int row = threadIdx.x / columns, col = threadIdx.x % columns;
  float b[kColumns][BK];
  load_columns<BK, kColumns, kBlockSize>(b, B, ldb, col, cols, K);
  __syncthreads();
#pragma unroll 2
  for (int r = col < cols && row < at_once ? row : rows; r < rows; r += at_once) {
    float sum[kColumns] = {};
    multiply_row<BK, kColumns>(As[r], b, sum);
    for (int c = 0; c < kColumns; ++c) {
      if (col + c * kBlockSize < cols) C[r * ldc + col + c * kBlockSize] = sum[c];
    }
  }
}

// With registers for kFirst, kFirst + 4 ... kLongest elements of a column.
template <int kColumns, int kBlockSize, int kFirst, int kLongest>
void sgemm_short_k_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  const int rows = short_k_rows(multiprocessors(), M, N, K, kBlockSize, kColumns);
  const unsigned tiles_m = (M - 1) / rows + 1, tiles_n = (N - 1) / (kColumns * kBlockSize) + 1;
  with_registers_for<kFirst, kLongest>(K, [&]<int BK>() {
    const std::size_t shared_bytes = rows * (BK + 4) * sizeof(float);
    sgemm_short_k_kernel<BK, kColumns, kBlockSize>
        <<<tiles_m * tiles_n, kBlockSize, shared_bytes, stream>>>(A, B, C, M, N, K, rows);
  });
}

inline void sgemm_short_k(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  if (K > kLongestMediumK) return sgemm_small(A, B, C, M, N, K, stream);
  auto launch = sgemm_short_k_launch<2, kMediumKBlock, kLongestShortK + 4, kLongestMediumK>;
  if (K <= kLongestShortK) launch = sgemm_short_k_launch<2, kShortKBlock, 4, kLongestShortK>;
  if (has_one_column(N, K)) launch = sgemm_short_k_launch<1, kShortKBlock, 4, kLongestOneColumn>;
  launch(A, B, C, M, N, K, stream);
}
