// Matrix product, C = A * B, row-major: tiles that are thin, like the matrix, so that few threads
// compute what lies outside. Blocks share a tile along K.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../instructions/device_attributes.cuh"
#include "float4.cuh"
#include "store4.cuh"
#include "tiling.cuh"
#include "zorder.cuh"

#include "parts.cuh"
#include "thin_copy.cuh"

// A block computes a tile of C, (BM, BN); a thread, a part of it, (TM, TN), in registers.
template <class Tile, int kPack>
__global__ void __launch_bounds__(Tile::kBlockSize, Tile::kBlocksPerSm)
    sgemm_sliced_kernel(const float* A, const float* B, float* C, int M, int N, int K, int part) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  constexpr int TM = Tile::TM, TN = Tile::TN, kStages = Tile::kStages;
  __shared__ typename Tile::Stage stages[kStages];
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

  // This block's part of K, at most `part` long, and of the results.
  const int begin = blockIdx.y * part;
  A += begin, B += begin * ldb, C += blockIdx.y * ldc * M, K = min(K - begin, part);

  // This thread's tile is split into 4x4 parts, kStepM and kStepN apart, the first at (row, col).
  constexpr int kStepM = Tile::kStepM, kStepN = Tile::kStepN;
  const auto [row, col] = zorder_place<Tile>();

  float sum[TM][TN] = {};
  // Each turn starts to load a new slice, zeros past the end of K, and multiplies an earlier one.
  int stage = 0;
  for (int depth = K; depth > -(kStages - 1) * BK; depth -= BK, A += BK, B += BK * ldb) {
    __pipeline_wait_prior(kStages - 2);  // this thread's copies of that slice have arrived,
    __syncthreads();                     // so have all others', and this stage is free
    sgemm_thin_copy_slice<Tile, kPack>(stages[stage], A, lda, rows, B, ldb, cols, depth);
    __pipeline_commit();
    if (depth <= K - (kStages - 1) * BK) {
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        const auto& [As, Bs] = stages[(stage + 1) % kStages];
        float a[TM], b[TN];
        for (int m = 0; m < TM; m += 4) copy4(&a[m], &As[k][row + m / 4 * kStepM]);
        for (int n = 0; n < TN; n += 4) copy4(&b[n], &Bs[k][col + n / 4 * kStepN]);
        for (int m = 0; m < TM; ++m) {  // the outer product of a and b
          for (int n = 0; n < TN; ++n) sum[m][n] += a[m] * b[n];
        }
      }
    }
    stage = (stage + 1) % kStages;
  }

  for (int m = 0; m < TM; ++m) {
    for (int n = 0; n < TN; n += 4) {
      const int r = row + m / 4 * kStepM + m % 4, c = col + n / 4 * kStepN;
      store4(C + r * ldc + c, &sum[m][n], r < rows ? cols - c : 0);
    }
  }
}

// kPack, floats per copy of B, is 1: a slice of 16 columns is too small for packs of 4.
template <class Tile, int kPack>
void sgemm_sliced_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static_assert(BM * 8 % kBlockSize == 0 && BK % 8 == 0 && BK * BN % (kPack * kBlockSize) == 0,
                "the threads share the copying");

  const unsigned tiles_m = (M - 1) / BM + 1;
  const unsigned tiles_n = (N - 1) / BN + 1;
  const auto kernel = sgemm_sliced_kernel<Tile, kPack>;
  Parts parts = make_parts(tiles_m * tiles_n, K, Tile::kBlocksPerSm * multiprocessors());
  if (cudaMallocAsync(&parts.C, parts.count * sizeof(float) * M * N, stream)) return;
  const dim3 blocks(tiles_m * tiles_n, parts.count);
  kernel<<<blocks, kBlockSize, 0, stream>>>(A, B, parts.C, M, N, K, parts.depth);
  add_parts(parts, C, std::size_t(M) * N, stream);
  cudaFreeAsync(parts.C, stream);
}

inline void sgemm_sliced(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Wide = Tiling<16, 128, 16, 16, 32, 4, 4, 4, 5>;
  using Tall = Tiling<128, 16, 16, 32, 16, 4, 4, 4, 5>;
  if (M <= 0 || N <= 0) return;
  const auto launch = M < N ? sgemm_sliced_launch<Wide, 1> : sgemm_sliced_launch<Tall, 1>;
  launch(A, B, C, M, N, K, stream);
}
