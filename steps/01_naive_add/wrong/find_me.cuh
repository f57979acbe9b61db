// Vector addition, c[i] = a[i] + b[i]: one thread per element.
#pragma once

#include "../1_add.cuh"

namespace find_me {

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  // 64 bits: the product of two 32-bit numbers would wrap around beyond 2^32.
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (threadIdx.x < n) {  // the last block may reach past the end
    c[i] = a[i] + b[i];
  }
}

inline void add(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  constexpr int kBlockSize = 256;  // threads per block
  static_assert(kBlockSize <= 1024, "a block has at most 1024 threads");
  if (n == 0) return;  // a grid of no blocks would be a launch error
  // A grid has up to 2^31 - 1 blocks in x: enough for vectors of 2 TiB.
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  add_kernel<<<blocks, kBlockSize, 0, stream>>>(a, b, c, n);
}

}  // namespace find_me
