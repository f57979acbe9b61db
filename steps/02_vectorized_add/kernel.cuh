// Vector addition, c[i] = a[i] + b[i]: four elements per thread, moved as one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

constexpr int kBlockSize = 256;  // threads in a block

constexpr int kPack = 4;                   // floats in a 128-bit access
constexpr int kTile = kBlockSize * kPack;  // elements one block handles

// [add]
__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  // 64 bits: the product of two 32-bit numbers would wrap round beyond 2^32.
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {  // the last block may reach past the end
    c[i] = a[i] + b[i];
  }
}

inline void add(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  static_assert(kBlockSize <= 1024, "a block has at most 1024 threads");
  if (n == 0) return;  // a grid of no blocks would be a launch error
  // A grid has up to 2^31 - 1 blocks in x: enough for vectors of 2 TiB.
  const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
  add_kernel<<<blocks, kBlockSize, 0, stream>>>(a, b, c, n);
}
// [add]

// Floats from p to the next 16-byte boundary, where 128-bit accesses may start.
__host__ __device__ inline std::size_t floats_to_boundary(const float* p) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(p) / sizeof(float) % kPack;
  return (kPack - past) % kPack;
}

// [add_float4]
// A vector is a head of 0..3 elements up to the boundary, then packs of four,
// then a tail of 0..3. The boundary has to be at the same index in a, b and c.
__global__ void add_float4_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t head = min(floats_to_boundary(a), n);
  const std::size_t packs = (n - head) / kPack;
  const std::size_t edges = n - packs * kPack;  // head and tail: 0..6
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < packs) {
    const float4 u = reinterpret_cast<const float4*>(a + head)[i];
    const float4 v = reinterpret_cast<const float4*>(b + head)[i];
    const float4 sum = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    reinterpret_cast<float4*>(c + head)[i] = sum;
  }
  if (i < edges) {  // one element for each of the grid's first threads
    const std::size_t edge = i < head ? i : i + packs * kPack;
    c[edge] = a[edge] + b[edge];
  }
}

inline void add_float4(const float* a, const float* b, float* c, std::size_t n,
                       cudaStream_t stream) {
  static_assert(kBlockSize >= 2 * (kPack - 1), "the first block does all the edges");
  if (n == 0) return;
  const std::size_t head = floats_to_boundary(a);
  if (floats_to_boundary(b) != head || floats_to_boundary(c) != head) {
    return add(a, b, c, n, stream);  // no head puts all three on a boundary
  }
  const auto blocks = static_cast<unsigned>((n + kTile - 1) / kTile);
  add_float4_kernel<<<blocks, kBlockSize, 0, stream>>>(a, b, c, n);
}
// [add_float4]

#include "add_bulk.cuh"
