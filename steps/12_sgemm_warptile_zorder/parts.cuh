// Blocks that share the slices of a tile along K: each makes its part of C, and a second kernel
// adds up all parts of an element, always in the same order.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "../instructions/device_attributes.cuh"

struct Parts {
  int count = 1, depth = 0;   // of a part along K; the last one may have less
  float* partials = nullptr;  // (count, M, N), where there are several

  float* result(float* C) const { return count > 1 ? partials : C; }
  std::size_t partial_floats(std::size_t size) const { return count > 1 ? count * size : 0; }
};

// As many parts as give every SM some blocks, but none so short that its start is most of it.
inline Parts make_parts(std::size_t tiles, int K) {
  constexpr std::size_t kBlocksPerSm = 4;
  constexpr int kShortest = 512, kMultiple = 128;  // of the depths of all slices
  const std::size_t wanted = kBlocksPerSm * multiprocessors() / std::max<std::size_t>(tiles, 1);
  const int most = std::max(K / kShortest, 1);
  const int count = std::clamp(static_cast<int>(wanted), 1, most);
  const int depth = K / count / kMultiple * kMultiple + kMultiple;
  if (count == 1) return {1, K, nullptr};
  return {(K - 1) / depth + 1, depth, nullptr};
}

// C[i] is the sum of partials[p][i]: 8 threads of a block take turns with the parts.
template <int kWidth, int kHeight>
__global__ void __launch_bounds__(kWidth* kHeight)
    add_parts_kernel(const float* partials, int count, float* C, std::size_t size) {
  __shared__ float sums[kHeight][kWidth];
  const int x = threadIdx.x % kWidth, y = threadIdx.x / kWidth;
  const std::size_t i = blockIdx.x * std::size_t{kWidth} + x;
  float sum = 0.0f;
  if (i < size) {
#pragma unroll 8
    for (int part = y; part < count; part += kHeight) sum += partials[part * size + i];
  }
  sums[y][x] = sum;
  __syncthreads();
  if (y > 0 || i >= size) return;
  for (int other = 1; other < kHeight; ++other) sum += sums[other][x];
  C[i] = sum;
}

inline void add_parts(const Parts& parts, float* C, std::size_t size, cudaStream_t stream) {
  constexpr int kWidth = 32, kHeight = 8;
  if (parts.count == 1) return;
  const auto blocks = static_cast<unsigned>((size + kWidth - 1) / kWidth);
  add_parts_kernel<kWidth, kHeight>
      <<<blocks, kWidth * kHeight, 0, stream>>>(parts.partials, parts.count, C, size);
}

// Runs a kernel's launch with memory for its parts from the stream's pool, or unshared without it.
template <class Launch>
void with_parts(Parts parts, std::size_t size, int K, cudaStream_t stream, const Launch& launch) {
  const std::size_t bytes = parts.partial_floats(size) * sizeof(float);
  void* memory = nullptr;
  if (bytes > 0 && cudaMallocAsync(&memory, bytes, stream) != cudaSuccess) {
    cudaGetLastError();
    parts = {1, K, nullptr};
  }
  parts.partials = static_cast<float*>(memory);
  launch(parts);
  if (memory != nullptr) cudaFreeAsync(memory, stream);
}
