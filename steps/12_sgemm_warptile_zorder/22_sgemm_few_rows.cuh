// Matrix product, C = A * B, row-major, for few rows: lanes go along N, so that each element of B
// is loaded once for all rows. If C has few columns, a block loads several rows of B at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../instructions/device_attributes.cuh"
#include "parts.cuh"
#include "tiling.cuh"

#include "row_products.cuh"

constexpr int kMostRows = 8;         // of a tile: C should not have many more
constexpr int kFewRowsSlice = 2048;  // floats of A in shared memory
constexpr int kFewRowsBlock = 256, kFewRowsBlocksPerSm = 4;

// Each thread sums a column of C, (kRows, 1), over every `at_once`-th of `depth` elements along K.
// Then the threads of a column add up their sums.
template <int kRows, int kBlockSize>
__global__ void __launch_bounds__(kBlockSize, 4)
    sgemm_few_rows_kernel(const float* __restrict__ A, const float* __restrict__ B,
                          float* __restrict__ C, int M, int N, int K, int depth) {
  // Under way, of B and of A: as many as there are registers for.
  constexpr int kAhead = kRows > 4 ? 8 : 16, kLoads = 4;
  constexpr int BK = kFewRowsSlice / kRows;
  const std::size_t lda = K, ldb = N, ldc = N;  // 64 bits: offsets pass 2^31
  __shared__ alignas(16) float As[BK][kRows];
  __shared__ float sums[kRows][kBlockSize];

  const int columns = min(N, kBlockSize), at_once = kBlockSize / columns;
  const int group = threadIdx.x / columns;  // threads that load the same rows of B
  const int tiles_n = (N - 1) / kBlockSize + 1;
  const int row = blockIdx.x / tiles_n * kRows, rows = min(kRows, M - row);
  const std::size_t col = blockIdx.x % tiles_n * std::size_t{kBlockSize} + threadIdx.x % columns;
  const bool has_column = col < ldb && group < at_once;
  const int begin = blockIdx.y * depth;
  A += row * lda + begin;                                // (rows, left)
  B += begin * ldb + (has_column ? col : 0);             // (left, 1)
  C += (blockIdx.y * std::size_t(M) + row) * ldc + col;  // (rows, 1)

  float sum[kRows] = {};
  for (int left = min(depth, K - begin); left > 0; left -= BK, A += BK, B += BK * ldb) {
    const int last = min(BK, left) - 1;
    __syncthreads();  // everybody is done with the slice before
    // Past an end, the last element again: without branches, all loads can be under way.
#pragma unroll 1
    for (int start = threadIdx.x; start < BK * kRows; start += kLoads * kBlockSize) {
      float a[kLoads];
      for (int i = 0; i < kLoads; ++i) {
        const int at = start + i * kBlockSize;
        a[i] = A[min(at / BK, rows - 1) * lda + min(at % BK, last)];
      }
      for (int i = 0; i < kLoads; ++i) {
        const int at = start + i * kBlockSize;
        As[at % BK][at / BK] = a[i];
      }
    }
    __syncthreads();
    int first = has_column ? group : BK;
    for (; first + (kAhead - 1) * at_once <= last; first += kAhead * at_once) {
      add_products<kRows, kAhead, false>(As, B, ldb, first, at_once, last, sum);
    }
    if (first <= last) {
      add_products<kRows, kAhead, true>(As, B, ldb, first, at_once, last, sum);
    }
  }

  for (int m = 0; m < kRows; ++m) sums[m][threadIdx.x] = sum[m];
  for (int groups = at_once; groups > 1; groups -= groups / 2) {
    __syncthreads();
    const int half = groups / 2, other = threadIdx.x + (groups - half) * columns;
    for (int m = 0; m < kRows && group < half; ++m) sums[m][threadIdx.x] += sums[m][other];
  }
  if (!has_column || group > 0) return;
  for (int m = 0; m < rows; ++m) C[m * ldc] = sums[m][threadIdx.x];
}

inline std::size_t few_rows_tiles(int M, int N) {
  return ((M - 1) / kMostRows + 1) * std::size_t((N - 1) / kFewRowsBlock + 1);
}

// Takes the lowest tile, of 1, 2, 4 or 8 rows, that holds all of C, or else many of 8. `parts.C` is
// the memory for the parts of C, if there are several; add_parts has to follow.
template <int kRows = 1>
void few_rows_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts& parts,
    cudaStream_t stream) {
  if constexpr (kRows < kMostRows) {
    if (M > kRows) return few_rows_launch<2 * kRows>(A, B, C, M, N, K, parts, stream);
  }
  const dim3 blocks(few_rows_tiles(M, N), parts.count);
  float* const result = parts.count > 1 ? parts.C : C;
  sgemm_few_rows_kernel<kRows, kFewRowsBlock>
      <<<blocks, kFewRowsBlock, 0, stream>>>(A, B, result, M, N, K, parts.depth);
}

inline void sgemm_few_rows(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  const int blocks = kFewRowsBlocksPerSm * multiprocessors();
  Parts parts = make_parts(few_rows_tiles(M, N), K, blocks);
  if (cudaMallocAsync(&parts.C, parts.count * sizeof(float) * M * N, stream)) return;
  few_rows_launch(A, B, C, M, N, K, parts, stream);
  if (parts.count > 1) add_parts(parts, C, std::size_t(M) * N, stream);
  cudaFreeAsync(parts.C, stream);
}
