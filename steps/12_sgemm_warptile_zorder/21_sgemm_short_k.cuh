// Matrix product, C = A * B, row-major, for a short K: a thread keeps its column of B in registers,
// and goes down the rows of C, which is most of what moves. Neighboring threads store neighboring
// elements, across the ends of short rows.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../instructions/device_attributes.cuh"
#include "float4.cuh"
#include "small.cuh"

// A block computes `most_rows` rows of C, of kBlockSize columns or all if there are fewer. K <= BK.
template <int BK, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize)
    sgemm_short_k_kernel(const float* __restrict__ A, const float* __restrict__ B,
                         float* __restrict__ C, int M, int N, int K, int most_rows) {
  static_assert(BK % 4 == 0, "a row of A is read as float4s");
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31
  extern __shared__ float4 storage[];           // (most_rows, BK + 4); the padding is 4 banks
  auto* const As = reinterpret_cast<float(*)[BK + 4]>(storage);

  const int columns = min(N, kBlockSize), at_once = kBlockSize / columns;  // rows
  const int tiles_n = (N - 1) / kBlockSize + 1;
  const std::size_t first_row = blockIdx.x / tiles_n * std::size_t(most_rows);
  const int rows = min(std::size_t(most_rows), M - first_row);
  A += first_row * lda;  // (rows, K)
  for (int i = threadIdx.x; i < most_rows * BK; i += kBlockSize) {
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
#pragma unroll 2
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
constexpr int kShortKBlock = 256;

// Rows of C that a block of 256 threads computes: enough that its stores take longer than what
// comes before them, but so few that there are blocks for all SMs.
inline int short_k_rows(int sms, int M, int N, int K) {
  constexpr int kLeast = 16, kMost = 256, kBlocksPerSm = 4;
  const int at_once = kShortKBlock / std::min(N, kShortKBlock);
  const int per_thread = K <= 4 ? 16 : K <= 8 ? 32 : 64;
  int rows = kLeast;
  while (rows < std::min(per_thread * at_once, kMost) && rows < M) rows *= 2;
  const auto blocks = [&] {
    return ((M - 1) / rows + 1) * ((N - 1) / std::size_t{kShortKBlock} + 1);
  };
  while (rows > kLeast * at_once && blocks() < std::size_t(kBlocksPerSm) * sms) rows /= 2;
  return rows;
}

// With registers for 4, 8, 16 or 32 elements of a column.
template <int BK = 4>
void short_k_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if constexpr (BK < kLongestShortK) {
    if (K > BK) return short_k_launch<2 * BK>(A, B, C, M, N, K, stream);
  }
  const int rows = short_k_rows(multiprocessors(), M, N, K);
  const unsigned tiles_m = (M - 1) / rows + 1, tiles_n = (N - 1) / kShortKBlock + 1;
  sgemm_short_k_kernel<BK, kShortKBlock>
      <<<tiles_m * tiles_n, kShortKBlock, rows*(BK + 4) * sizeof(float), stream>>>(  //
          A, B, C, M, N, K, rows);
}

inline void sgemm_short_k(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  if (K > kLongestShortK) return sgemm_small(A, B, C, M, N, K, stream);
  short_k_launch(A, B, C, M, N, K, stream);
}
