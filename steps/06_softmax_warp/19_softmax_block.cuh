// Softmax of every row of a matrix, one block per row, which waits in shared memory: x is read
// once. The block size is the one that keeps most threads on an SM.
#pragma once

#include "../instructions/device_attributes.cuh"
#include "17_softmax_online.cuh"  // for rows that shared memory has no room for

// Every thread comes back to its own elements of `row`: the only barriers are the reductions'.
template <int kPack>
__global__ void __launch_bounds__(1024)
    softmax_block_kernel(const float* x, float* y, unsigned cols) {
  extern __shared__ float4 row_storage[];                    // float4 for its alignment
  float* const row = reinterpret_cast<float*>(row_storage);  // (cols)
  // Two arrays: between two writes to one lies the barrier that goes with the other.
  __shared__ float partial_max[kWarpSize];
  __shared__ float partial_sum[kWarpSize];
  const float* const in = x + std::size_t{blockIdx.x} * cols;
  float* const out = y + std::size_t{blockIdx.x} * cols;
  const unsigned packs = cols / kPack;
  float pack[kPack];

  float max = -INFINITY;
  for (unsigned i = threadIdx.x; i < packs; i += blockDim.x) {
    load_pack<kPack>(in, i, pack);
    store_pack<kPack>(row, i, pack);
    for (const float value : pack) max = fmaxf(max, value);
  }
  max = block_max(max, partial_max);

  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < packs; i += blockDim.x) {
    load_pack<kPack>(row, i, pack);
    for (float& value : pack) sum += value = expf(value - max);
    store_pack<kPack>(row, i, pack);
  }
  sum = block_sum(sum, partial_sum);

  const float scale = 1.0f / sum;
  for (unsigned i = threadIdx.x; i < packs; i += blockDim.x) {
    load_pack<kPack>(row, i, pack);
    for (float& value : pack) value *= scale;
    store_pack<kPack>(out, i, pack);
  }
}

// The block size that keeps most threads on an SM at once. Small blocks reach the limit of blocks
// per SM; long rows leave room for few blocks, which then have to be large. On a tie, the smaller:
// fewer threads wait at each barrier.
template <class Kernel>
int block_size_for(Kernel kernel, std::size_t shared_bytes, std::size_t packs) {
  int best = kWarpSize;
  int most_resident = 0;
  for (int threads = kWarpSize; threads <= 1024; threads *= 2) {
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes);
    if (blocks * threads > most_resident) {
      most_resident = blocks * threads;
      best = threads;
    }
    if (threads >= static_cast<int>(packs)) break;  // more threads would find nothing to do
  }
  return best;
}

// Whether a block can have a whole row in shared memory, beside its two arrays.
inline bool row_fits_a_block(std::size_t cols) {
  const int max_shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return (cols + 2 * kWarpSize) * sizeof(float) <= static_cast<std::size_t>(max_shared);
}

inline void softmax_block(const float* x, float* y, std::size_t rows, std::size_t cols,
                          cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const std::size_t shared_bytes = cols * sizeof(float);
  if (!row_fits_a_block(cols) || rows > INT_MAX) return softmax_online(x, y, rows, cols, stream);
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto kernel = aligned ? softmax_block_kernel<4> : softmax_block_kernel<1>;
  constexpr std::size_t kWithoutAsking =
      47 * 1024;  // of 48 KiB: the kernel's own arrays count, too
  if (shared_bytes > kWithoutAsking) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(shared_bytes));
  }
  const int threads = block_size_for(kernel, shared_bytes, aligned ? cols / 4 : cols);
  kernel<<<grid_size(rows), threads, shared_bytes, stream>>>(x, y, static_cast<unsigned>(cols));
}
