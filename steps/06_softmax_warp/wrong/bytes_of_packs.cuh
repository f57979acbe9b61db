// softmax_block that asks for as much shared memory as a row has packs, not floats.
//
// For rows of packs of four that is a quarter of what the kernel uses. What lies behind a block's
// shared memory can be that of the next block on the same SM, or nothing.
//
// Rejected by: memcheck (out_of_bounds) with --rows 9 --cols 128
#pragma once

#include "../kernel.cuh"

namespace bytes_of_packs {

template <int kPack>
__global__ void __launch_bounds__(1024)
    softmax_block_kernel(const float* x, float* y, std::size_t rows, unsigned cols) {
  extern __shared__ float4 row_storage[];                    // float4 for its alignment
  float* const row = reinterpret_cast<float*>(row_storage);  // (cols)
  // Two arrays: between two writes of one lies the barrier that goes with the other.
  __shared__ float partial_max[kWarpSize];
  __shared__ float partial_sum[kWarpSize];
  const unsigned packs = cols / kPack;
  for (std::size_t r = blockIdx.x; r < rows; r += gridDim.x) {
    const float* const in = x + r * cols;
    float* const out = y + r * cols;
    float pack[kPack];

    float max = -INFINITY;
    for (unsigned i = threadIdx.x; i < packs; i += blockDim.x) {
      load_pack(in, i, pack);
      store_pack(row, i, pack);
      for (const float value : pack) max = fmaxf(max, value);
    }
    max = block_max(max, partial_max);

    float sum = 0.0f;
    for (unsigned i = threadIdx.x; i < packs; i += blockDim.x) {
      load_pack(row, i, pack);
      for (float& value : pack) {
        value = expf(value - max);
        sum += value;
      }
      store_pack(row, i, pack);
    }
    sum = block_sum(sum, partial_sum);

    const float scale = 1.0f / sum;
    for (unsigned i = threadIdx.x; i < packs; i += blockDim.x) {
      load_pack(row, i, pack);
      for (float& value : pack) value *= scale;
      store_pack(out, i, pack);
    }
  }
}

template <int kPack>
void launch_softmax_block(const float* x, float* y, std::size_t rows, std::size_t cols,
                          cudaStream_t stream) {
  const auto kernel = softmax_block_kernel<kPack>;
  const std::size_t shared_bytes = cols / kPack * sizeof(float);
  constexpr std::size_t kWithoutAsking = 48 * 1024;  // the kernel's own arrays count too
  if (shared_bytes + kPartialBytes > kWithoutAsking) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(shared_bytes));
  }
  const int threads = block_size_for(kernel, shared_bytes, cols / kPack);
  const unsigned blocks = grid_size(rows);
  kernel<<<blocks, threads, shared_bytes, stream>>>(x, y, rows, static_cast<unsigned>(cols));
}

inline void softmax_block(const float* x, float* y, std::size_t rows, std::size_t cols,
                          cudaStream_t stream) {
  bytes_of_packs::launch_softmax_block<4>(x, y, rows, cols, stream);
}

}  // namespace bytes_of_packs
