// Which products are too thin for tiles, and the rung for each: they load far more than they
// multiply, so that each element of the larger operand should be loaded once.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "18_sgemm_few_rows.cuh"
#include "19_sgemm_few_columns.cuh"
#include "small.cuh"

constexpr bool is_thin(int M, int N, int K) {
  constexpr int kFew = 16;
  return std::min({M, N, K}) <= kFew;
}

// A warp goes along K; it takes a K of its own length to keep all lanes busy.
constexpr bool has_few_columns(int M, int N) { return N <= kMostColumns && N < M; }
constexpr bool has_short_rows(int K) { return K < 2 * kWarpSize; }

// How a thin product is shared by blocks, if a workspace of `bytes` is enough for that.
inline Parts thin_parts(int M, int N, int K, std::size_t bytes) {
  const bool few_columns = has_few_columns(M, N);
  if (few_columns && has_short_rows(K)) return {1, K, nullptr};
  const Parts parts = few_columns ? few_columns_parts(M, N, K) : few_rows_parts(M, N, K);
  const std::size_t needed = parts.partial_floats(std::size_t(M) * N) * sizeof(float);
  return needed <= bytes ? parts : Parts{1, K, nullptr};
}

inline void thin_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Parts& parts,
    cudaStream_t stream) {
  if (!has_few_columns(M, N)) {
    few_rows_launch(A, B, C, M, N, K, parts, stream);
  } else if (has_short_rows(K)) {
    sgemm_small(A, B, C, M, N, K, stream);
  } else {
    few_columns_launch(A, B, C, M, N, K, parts, stream);
  }
}
