// softmax_block_shared that asks for as much shared memory as a row has packs, not floats.
//
// For rows of packs of four that is a quarter of what the kernel uses. Behind a block's
// shared memory may lie that of the next block on the same SM, or nothing.
//
// Rejected by: memcheck (out_of_bounds) with --rows 9 --cols 128
#pragma once

#include "../18_softmax_block_shared.cuh"

namespace bytes_of_packs {

// Every thread comes back to its own elements of `row`: the only barriers are the reductions'.
template <int kPack>
__global__ void __launch_bounds__(1024)
    softmax_block_shared_kernel(const float* x, float* y, unsigned cols) {
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

inline void softmax_block_shared(const float* x, float* y, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const std::size_t shared_bytes = cols / 4 * sizeof(float);
  if (shared_bytes > 47 * 1024 || rows > INT_MAX) return softmax_online(x, y, rows, cols, stream);
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto kernel = aligned ? softmax_block_shared_kernel<4> : softmax_block_shared_kernel<1>;
  kernel<<<grid_size(rows), kBlockSize, shared_bytes, stream>>>(x, y, static_cast<unsigned>(cols));
}

}  // namespace bytes_of_packs
