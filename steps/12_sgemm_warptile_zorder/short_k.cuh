// Parts of products with a short K.
#pragma once

#include <algorithm>
#include <cstddef>

#include "float4.cuh"
#include "tiling.cuh"

// Loads (rows, K) of A into shared memory, (most_rows, BK), and zeros for the rest. The padding of
// its rows is 4 banks.
template <int BK, int kBlockSize>
__device__ void load_rows(float (*to)[BK + 4], int most_rows, const float* A, std::size_t lda,
                          int rows, int K) {
  for (int i = threadIdx.x; i < most_rows * BK; i += kBlockSize) {
    const int row = i / BK, k = i % BK;
    to[row][k] = row < rows && k < K ? A[row * lda + k] : 0.0f;
  }
}

// Loads this thread's columns of B, (K, cols), kBlockSize apart from `col` on, and zeros for the
// rest.
template <int BK, int kColumns, int kBlockSize>
__device__ void load_columns(float (&b)[kColumns][BK], const float* B, std::size_t ldb, int col,
                             int cols, int K) {
#pragma unroll
  for (int c = 0; c < kColumns; ++c, col += kBlockSize) {
#pragma unroll
    for (int k = 0; k < BK; ++k) b[c][k] = col < cols && k < K ? B[k * ldb + col] : 0.0f;
  }
}

// The products of a row of A, in shared memory, and each column.
template <int BK, int kColumns>
__device__ void multiply_row(const float (&row)[BK + 4], const float (&b)[kColumns][BK],
                             float (&sum)[kColumns]) {
  static_assert(BK % 4 == 0, "the row is read as float4s");
#pragma unroll
  for (int k = 0; k < BK; k += 4) {
    float a[4];
    copy4(a, &row[k]);
    for (int c = 0; c < kColumns; ++c) {
      for (int i = 0; i < 4; ++i) sum[c] += a[i] * b[c][k + i];
    }
  }
}

// The longest K for which a thread keeps two columns in registers, or one, in blocks of
// kShortKBlock threads; and two in blocks of kMediumKBlock.
constexpr int kLongestShortK = 16, kLongestOneColumn = 32, kLongestMediumK = 64;
constexpr int kShortKBlock = 8 * kWarpSize, kMediumKBlock = 4 * kWarpSize;

inline bool has_one_column(int N, int K) { return N <= kShortKBlock && K <= kLongestOneColumn; }

// Rows of C that a block of `threads` computes, with `columns` per thread: enough that its stores
// take longer than what comes before them, but so few that there are blocks for all SMs.
inline int short_k_rows(int sms, int M, int N, int K, int threads, int columns) {
  constexpr int kLeast = 16, kMost = 256, kBlocksPerSm = 4;
  constexpr int kSharedFloats = 48 * 1024 / sizeof(float);
  const int at_once = threads / std::min(N, threads);
  const int per_thread = K <= 4 ? 16 : K <= 8 ? 32 : K <= 32 ? 64 : 128;
  // A row of A, rounded up to four floats, and its padding take K + 7 floats or fewer.
  const int most = kMost * (K + 7) <= kSharedFloats ? kMost : kMost / 2;
  int rows = kLeast;
  while (rows < std::min(per_thread * at_once, most) && rows < M) rows *= 2;
  const auto blocks = [&] {
    return ((M - 1) / rows + 1) * ((N - 1) / (std::size_t(columns) * threads) + 1);
  };
  while (rows > kLeast * at_once && blocks() < std::size_t(kBlocksPerSm) * sms) rows /= 2;
  return rows;
}

// Calls launch.operator()<BK>() for the least BK of kFirst, kFirst + 4 ... kLongest that holds K.
template <int kFirst, int kLongest, class Launch>
void with_registers_for(int K, const Launch& launch) {
  if constexpr (kFirst < kLongest) {
    if (K > kFirst) return with_registers_for<kFirst + 4, kLongest>(K, launch);
  }
  launch.template operator()<kFirst>();
}
