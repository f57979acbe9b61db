// Matrix product, C = A * B, row-major, for few columns: lanes go along K, so that each element of
// A is loaded once for all columns. If C has few rows, blocks share the slices along K.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../instructions/device_attributes.cuh"
#include "parts.cuh"
#include "tiling.cuh"

// Each warp of a block computes kRows rows of C, or a part of them: `depth` elements along K.
template <int BN, int BK, int kRows, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize, 2)
    sgemm_few_columns_kernel(const float* __restrict__ A, const float* __restrict__ B,
                             float* __restrict__ C, int M, int N, int K, int depth) {
  constexpr int BM = kBlockSize / kWarpSize * kRows;
  constexpr int kAhead = BK / kWarpSize;        // elements of a row that a lane asks for at once
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31
  __shared__ float Bs[BK][BN | 1];              // an odd pitch, for the banks

  const int lane = threadIdx.x % kWarpSize;
  const int tiles_n = (N - 1) / BN + 1;
  const std::size_t row = blockIdx.x / tiles_n * std::size_t{BM} + threadIdx.x / kWarpSize * kRows;
  const int rows = row < std::size_t(M) ? min(kRows, static_cast<int>(M - row)) : 0;
  const int col = blockIdx.x % tiles_n * BN, cols = min(BN, N - col);
  const int begin = blockIdx.y * depth;
  A += row * lda + begin + lane;                           // (rows, left)
  B += begin * ldb + col;                                  // (left, cols)
  C += blockIdx.y * std::size_t(M) * N + row * ldc + col;  // (rows, cols)

  float sum[kRows][BN] = {};
  for (int left = min(depth, K - begin); left > 0; left -= BK, A += BK, B += BK * ldb) {
    float a[kAhead][kRows];
    for (int i = 0; i < kAhead; ++i) {
      for (int m = 0; m < kRows; ++m) {
        const bool inside = m < rows && i * kWarpSize + lane < left;
        a[i][m] = inside ? __ldcs(A + m * lda + i * kWarpSize) : 0.0f;
      }
    }
    __syncthreads();  // everybody is done with the slice before
    for (int i = threadIdx.x; i < BK * BN; i += kBlockSize) {
      const int k = i / BN, n = i % BN;
      Bs[k][n] = k < left && n < cols ? B[k * ldb + n] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < kAhead; ++i) {
      for (int n = 0; n < BN; ++n) {
        const float b = Bs[i * kWarpSize + lane][n];
        for (int m = 0; m < kRows; ++m) sum[m][n] += a[i][m] * b;
      }
    }
  }

#pragma unroll
  for (int m = 0; m < kRows; ++m) {
#pragma unroll
    for (int n = 0; n < BN; ++n) {
      for (int half = kWarpSize / 2; half > 0; half /= 2) {
        sum[m][n] += __shfl_xor_sync(0xffffffff, sum[m][n], half);
      }
      if (lane == n && m < rows && n < cols) C[m * ldc + n] = sum[m][n];
    }
  }
}

constexpr int kMostColumns = 16;  // of a tile: C should not have many more
constexpr int kFewColumnsBlock = 256;

// With few rows, a warp has one of them; with more, it has four, which share what it loads of B.
constexpr int few_columns_rows(int M) {
  constexpr int kWarps = kFewColumnsBlock / kWarpSize;
  return M > kWarps ? 4 * kWarps : kWarps;
}
inline std::size_t few_columns_tiles(int M, int N) {
  return ((M - 1) / few_columns_rows(M) + 1) * std::size_t((N - 1) / kMostColumns + 1);
}

// Takes the narrowest tile, of 1, 2, 4, 8 or 16 columns, that holds all of C. `parts.C` is the
// memory for the parts of C, if there are several; add_parts has to follow.
template <int BN = 1>
void few_columns_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts& parts,
    cudaStream_t stream) {
  if constexpr (BN < kMostColumns) {
    if (N > BN) return few_columns_launch<2 * BN>(A, B, C, M, N, K, parts, stream);
  }
  constexpr int BK = 512;
  constexpr int kShorter = BN <= 4 ? 256 : BN <= 8 ? 128 : 64;  // for four rows: as many loads
  const int BM = few_columns_rows(M);
  const auto kernel = BM > kFewColumnsBlock / kWarpSize
                          ? sgemm_few_columns_kernel<BN, kShorter, 4, kFewColumnsBlock>
                          : sgemm_few_columns_kernel<BN, BK, 1, kFewColumnsBlock>;
  const dim3 blocks(((M - 1) / BM + 1) * ((N - 1) / BN + 1), parts.count);
  float* const result = parts.count > 1 ? parts.C : C;
  kernel<<<blocks, kFewColumnsBlock, 0, stream>>>(A, B, result, M, N, K, parts.depth);
}

inline void sgemm_few_columns(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int kBlocksPerSm = 4;
  if (M <= 0 || N <= 0) return;
  Parts parts = make_parts(few_columns_tiles(M, N), K, kBlocksPerSm * multiprocessors());
  if (cudaMallocAsync(&parts.C, parts.count * sizeof(float) * M * N, stream)) return;
  few_columns_launch(A, B, C, M, N, K, parts, stream);
  if (parts.count > 1) add_parts(parts, C, std::size_t(M) * N, stream);
  cudaFreeAsync(parts.C, stream);
}
