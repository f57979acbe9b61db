// sgemm_short_k whose warps store whole lines of C from shared memory, wherever its rows begin.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../instructions/device_attributes.cuh"
#include "small.cuh"

#include "short_k.cuh"

constexpr int kLine = 32;  // floats
// Floats from the start of a line to p.
__device__ inline int floats_before(const float* p) {
  return reinterpret_cast<std::size_t>(p) / sizeof(float) % kLine;
}

// A warp stores `count` floats, kMost or fewer, from shared memory. They begin in `lines`, which is
// at the start of a line, as many floats behind it as `to` is.
template <int kMost>
__device__ void store_lines(float* to, const float* lines, int count) {
  const int first = floats_before(to), last = first + count;
#pragma unroll
  for (int i = threadIdx.x % kWarpSize * 4; i < kMost + kLine; i += 4 * kWarpSize) {
    float* const at = to - first + i;
    if (first <= i && i + 4 <= last) {
      *reinterpret_cast<float4*>(at) = *reinterpret_cast<const float4*>(lines + i);
      continue;
    }
    for (int j = 0; j < 4; ++j) {
      if (first <= i + j && i + j < last) at[j] = lines[i + j];
    }
  }
}

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
  __shared__ alignas(float4) float lines[2][kWarps][BN + kLine];  // for a row per warp, twice
  __syncthreads();
  int turn = 0;
  for (int first = 0; first < rows; first += kWarps, turn ^= 1) {
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
    sgemm_short_k_lines_kernel<BK, kColumns, kBlockSize>
        <<<tiles_m * tiles_n, kBlockSize, shared_bytes, stream>>>(A, B, C, M, N, K, rows);
  });
}

inline void sgemm_short_k_lines(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  if (K > kLongestShortK || N <= kShortKBlock) return sgemm_small(A, B, C, M, N, K, stream);
  sgemm_short_k_lines_launch<2, kShortKBlock, 4, kLongestShortK>(A, B, C, M, N, K, stream);
}
