// Vector addition, c[i] = a[i] + b[i]: four elements per thread, moved by 128-bit accesses.
#pragma once

#include "../1_add_float4.cuh"

namespace find_me {

// A vector is a head up to a 16-byte boundary, then packs of four, then a tail of 0..3.
__global__ void add_float4_kernel(const float* a, const float* b, float* c, std::size_t n,
                                  std::size_t head) {
  const std::size_t packs = (n - head) / kPack;
  const std::size_t edges = n - packs * kPack;  // head and tail: 0..6, or all n
  // 64 bits: the product of two 32-bit numbers would wrap around beyond 2^32.
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < packs) {  // the last block may reach past the end
    const float4 u = reinterpret_cast<const float4*>(a + head)[i];
    const float4 v = reinterpret_cast<const float4*>(b + head)[i];
    const float4 sum = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    reinterpret_cast<float4*>(c + head)[i] = sum;
  } else if (i < edges) {  // one element for each of the grid's first threads
    const std::size_t edge = i < head ? i : i + packs * kPack;
    c[edge] = a[edge] + b[edge];
  }
}

inline void add_float4(const float* a, const float* b, float* c, std::size_t n,
                       cudaStream_t stream) {
  constexpr int kBlockSize = 256;  // threads per block
  static_assert(kBlockSize <= 1024, "a block has at most 1024 threads");
  if (n == 0) return;  // a grid of no blocks would be a launch error
  const std::size_t head = head_elements(a, b, c, n);
  const std::size_t packs = (n - head) / kPack;
  const std::size_t threads = std::max(packs, n - packs * kPack);
  // A grid has up to 2^31 - 1 blocks in x: enough for vectors of 2 TiB.
  const auto blocks = static_cast<unsigned>((threads + kBlockSize - 1) / kBlockSize);
  add_float4_kernel<<<blocks, kBlockSize, 0, stream>>>(a, b, c, n, head);
}

}  // namespace find_me
