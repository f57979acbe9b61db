// Matrix product, C = A * B, row-major, of a K so short that the indices would take longer than the
// products: sgemm_small with cheaper ones.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstddef>

#include "small.cuh"
#include "thin_tiles.cuh"

constexpr int kFewSteps = 3;

// 32 bits are enough for the indices, and each thread has two elements, kBlockSize apart.
template <int kBlockSize>
__global__ void sgemm_few_steps_kernel(  //
    const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned size = unsigned(M) * N, columns = N;
  const unsigned first = blockIdx.x * (2u * kBlockSize) + threadIdx.x;
  float sum[2] = {};
  unsigned row[2], col[2];
  for (int i = 0; i < 2; ++i) {
    const unsigned at = min(first + i * kBlockSize, size - 1);  // past the end, the last one again
    row[i] = at / columns;
    col[i] = at - row[i] * columns;
  }
  for (int k = 0; k < K; ++k) {
    for (int i = 0; i < 2; ++i) sum[i] += A[row[i] * K + k] * B[k * columns + col[i]];
  }
  for (int i = 0; i < 2; ++i) {
    if (first + i * kBlockSize < size) C[first + i * kBlockSize] = sum[i];
  }
}

inline void sgemm_few_steps(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int kBlockSize = 256;
  const std::size_t size = std::size_t(M) * N;
  const std::size_t most = std::max({size, std::size_t(M) * K, std::size_t(K) * N});  // elements
  if (K > kFewSteps || most > INT_MAX) return sgemm_small(A, B, C, M, N, K, stream);
  const unsigned blocks = (size - 1) / (2 * kBlockSize) + 1;
  sgemm_few_steps_kernel<kBlockSize><<<blocks, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}

// An element per thread, or two, where a launch takes longer than anything else.
inline void small_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts&,
    cudaStream_t stream) {
  sgemm_few_steps(A, B, C, M, N, K, stream);
}
constexpr ThinTiles element_tiles(const char* name, const ThinCosts& costs) {
  return {.name = name,
          .BM = 1,
          .BN = 256,
          .blocks_per_sm = 8,
          .costs = costs,
          .launch = small_launch,
          .shortest_part = 0,
          .across_rows = true};
}
