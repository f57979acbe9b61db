// Matrix product, C = A * B, row-major, for few rows or a short K: a thread has a whole column of
// its block's tile of C, and loads each element of B once for all rows. Where C has few tiles,
// blocks share the slices along K.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "parts.cuh"

// A block computes a tile of C, (BM, BN), or a part of it: `depth` elements along K. For each
// column it has kBlockSize / BN threads, which take turns along K.
template <int BM, int BN, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize) sgemm_few_rows_kernel(  //
    const float* A, const float* B, float* C, int M, int N, int K, int depth) {
  constexpr int BK = 64, kGroups = kBlockSize / BN;
  constexpr int kAhead = 8;  // elements of B that a thread asks for at once
  static_assert(kBlockSize % BN == 0 && BK % (kGroups * kAhead) == 0, "the groups share a slice");
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31
  __shared__ float As[BK][BM + 4];              // transposed; the padding is 4 banks
  __shared__ float of_groups[kGroups][BM][BN];

  const int tiles_n = (N - 1) / BN + 1;
  const int tile_row = blockIdx.x / tiles_n * BM;
  const std::size_t col = blockIdx.x % tiles_n * std::size_t{BN} + threadIdx.x % BN;
  const int group = threadIdx.x / BN;
  const int begin = blockIdx.y * depth;
  A += tile_row * lda + begin;                                  // (rows, left)
  B += begin * ldb + col;                                       // (left, 1)
  C += blockIdx.y * std::size_t(M) * N + tile_row * ldc + col;  // (rows, 1)
  const int rows = min(BM, M - tile_row);
  const bool has_column = col < ldb;

  float sum[BM] = {};
  for (int left = min(depth, K - begin); left > 0; left -= BK, A += BK, B += BK * ldb) {
    __syncthreads();  // everybody is done with the slice before
    for (int i = threadIdx.x; i < BM * BK; i += kBlockSize) {
      const int m = i / BK, k = i % BK;
      As[k][m] = m < rows && k < left ? A[m * lda + k] : 0.0f;
    }
    __syncthreads();
    for (int first = group; first < min(BK, left); first += kAhead * kGroups) {
      float b[kAhead];
      for (int i = 0; i < kAhead; ++i) {
        const int k = first + i * kGroups;
        b[i] = has_column && k < left ? __ldcs(B + k * ldb) : 0.0f;
      }
      for (int i = 0; i < kAhead; ++i) {
        for (int m = 0; m < BM; ++m) sum[m] += As[first + i * kGroups][m] * b[i];
      }
    }
  }

  for (int m = 0; m < BM; ++m) of_groups[group][m][threadIdx.x % BN] = sum[m];
  __syncthreads();
  for (int m = group; m < rows && has_column; m += kGroups) {
    float all = 0.0f;
    for (int g = 0; g < kGroups; ++g) all += of_groups[g][m][threadIdx.x % BN];
    C[m * ldc] = all;
  }
}

constexpr int kNarrowTile = 32, kWideTile = 256;  // columns
constexpr int few_rows_width(int N) { return N <= kNarrowTile ? kNarrowTile : kWideTile; }

inline Parts few_rows_parts(int M, int N, int K) {
  constexpr std::size_t kMostRows = 16;
  return make_parts(((M - 1) / kMostRows + 1) * ((N - 1) / few_rows_width(N) + 1), K);
}

// With the fewest rows per tile, of 1, 4 and 16, that hold all of C.
template <int BM = 1>
void few_rows_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts& parts,
    cudaStream_t stream) {
  if constexpr (BM < 16) {
    if (M > BM) return few_rows_launch<4 * BM>(A, B, C, M, N, K, parts, stream);
  }
  constexpr int kBlockSize = 256;
  const int BN = few_rows_width(N);
  const auto kernel = BN == kNarrowTile ? sgemm_few_rows_kernel<BM, kNarrowTile, kBlockSize>
                                        : sgemm_few_rows_kernel<BM, kWideTile, kBlockSize>;
  const dim3 blocks(((M - 1) / BM + 1) * ((N - 1) / BN + 1), parts.count);
  kernel<<<blocks, kBlockSize, 0, stream>>>(A, B, parts.result(C), M, N, K, parts.depth);
  add_parts(parts, C, std::size_t(M) * N, stream);
}

inline void sgemm_few_rows(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  with_parts(few_rows_parts(M, N, K), std::size_t(M) * N, K, stream,
             [&](const Parts& parts) { few_rows_launch(A, B, C, M, N, K, parts, stream); });
}
