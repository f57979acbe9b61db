// Blocks share a tile along K: each stores a part of C, and a second kernel adds them in order.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../instructions/dependent_launch.cuh"

struct Parts {
  int count, depth;    // elements along K of each; the last one may have fewer
  float* C = nullptr;  // (count, M, N)
};

// As many as make `blocks` blocks in all, each of a multiple of `shortest` elements: shorter ones
// would take longer to start than to compute.
inline Parts make_parts(std::size_t tiles, int K, int blocks, int shortest = 64) {
  const int most = std::max(K / shortest, 1), last = std::max(K - 1, 0);
  const int count = std::clamp<int>(blocks / tiles, 1, most);
  const int depth = (last / count / shortest + 1) * shortest;
  return {last / depth + 1, depth};
}

__global__ void add_parts_kernel(const float* parts, int count, float* C, std::size_t size) {
  wait_for_kernel_ahead();       // for the parts, if launched early, as sgemm_tuned does
  __shared__ float sums[8][32];  // for each of 32 elements, 8 threads take turns at the parts
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  float sum = 0.0f;
  if (i >= size) count = 0;
#pragma unroll 8
  for (int part = threadIdx.y; part < count; part += 8) sum += parts[part * size + i];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  for (int other = 1; other < 8; ++other) sum += sums[other][threadIdx.x];
  if (threadIdx.y == 0 && i < size) C[i] = sum;
}
inline void add_parts(const Parts& parts, float* C, std::size_t size, cudaStream_t stream) {
  add_parts_kernel<<<(size - 1) / 32 + 1, dim3(32, 8), 0, stream>>>(parts.C, parts.count, C, size);
}
