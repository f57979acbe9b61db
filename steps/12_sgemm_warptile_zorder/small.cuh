// Matrix product, C = A * B, row-major, where no tile fits into C: one thread per element.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

__global__ void sgemm_small_kernel(  //
    const float* A, const float* B, float* C, int M, int N, int K) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= std::size_t(M) * N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[k * std::size_t(N) + i % N];
  C[i] = sum;
}

inline void sgemm_small(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int kBlockSize = 256;
  const unsigned blocks = (std::size_t(M) * N - 1) / kBlockSize + 1;
  sgemm_small_kernel<<<blocks, kBlockSize, 0, stream>>>(A, B, C, M, N, K);
}
