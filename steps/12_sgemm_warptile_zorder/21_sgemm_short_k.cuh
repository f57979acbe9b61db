// Matrix product, C = A * B, row-major, for a short K: a thread keeps its column of B in registers,
// and goes down the rows of C, which is most of what moves. Neighboring threads store neighboring
// elements, across the ends of short rows.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "float4.cuh"
#include "small.cuh"

// A block computes kRows rows of C, of kBlockSize columns or all if there are fewer. K <= BK.
template <int BK, int kRows, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize)
    sgemm_short_k_kernel(const float* __restrict__ A, const float* __restrict__ B,
                         float* __restrict__ C, int M, int N, int K) {
  static_assert(BK % 4 == 0, "a row of A is read as float4s");
  const std::size_t lda = K, ldb = N, ldc = N;     // 64 bits: offsets pass 2^31
  __shared__ alignas(16) float As[kRows][BK + 4];  // the padding is 4 banks

  const int columns = min(N, kBlockSize), at_once = kBlockSize / columns;  // rows
  const int tiles_n = (N - 1) / kBlockSize + 1;
  const std::size_t first_row = blockIdx.x / tiles_n * std::size_t{kRows};
  const int rows = min(std::size_t{kRows}, M - first_row);
  A += first_row * lda;  // (rows, K)
  for (int i = threadIdx.x; i < kRows * BK; i += kBlockSize) {
    const int row = i / BK, k = i % BK;
    As[row][k] = row < rows && k < K ? A[row * lda + k] : 0.0f;
  }

  const int row = threadIdx.x / columns;
  const std::size_t col = blockIdx.x % tiles_n * std::size_t{kBlockSize} + threadIdx.x % columns;
  const bool has_column = col < ldb && row < at_once;
  float b[BK];
  for (int k = 0; k < BK; ++k) b[k] = has_column && k < K ? B[k * ldb + col] : 0.0f;
  __syncthreads();
  C += first_row * ldc + col;
#pragma unroll 4
  for (int r = has_column ? row : rows; r < rows; r += at_once) {
    float sum = 0.0f;
    for (int k = 0; k < BK; k += 4) {
      float a[4];
      copy4(a, &As[r][k]);
      for (int i = 0; i < 4; ++i) sum += a[i] * b[k + i];
    }
    C[r * ldc] = sum;
  }
}

// The longest K that a thread has registers for, and that gains by it.
constexpr int kLongestShortK = 32;
constexpr int kNarrow = 64;  // up to so many columns, a block has more rows

// With registers for 4, 8, 16 or 32 elements of a column.
template <int BK = 4>
void short_k_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if constexpr (BK < kLongestShortK) {
    if (K > BK) return short_k_launch<2 * BK>(A, B, C, M, N, K, stream);
  }
  constexpr int kBlockSize = 256, kFewRows = 32, kManyRows = 128;
  const bool narrow = N <= kNarrow;
  const auto kernel = narrow ? sgemm_short_k_kernel<BK, kManyRows, kBlockSize>
                             : sgemm_short_k_kernel<BK, kFewRows, kBlockSize>;
  const unsigned tiles_m = (M - 1) / (narrow ? kManyRows : kFewRows) + 1;
  const unsigned tiles_n = (N - 1) / kBlockSize + 1;
  kernel<<<tiles_m * tiles_n, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}

inline void sgemm_short_k(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  if (K > kLongestShortK) return sgemm_small(A, B, C, M, N, K, stream);
  short_k_launch(A, B, C, M, N, K, stream);
}
