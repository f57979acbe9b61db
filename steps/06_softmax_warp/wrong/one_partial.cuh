// softmax_block with one array for both reductions.
//
// A fast warp leaves its sum in the array while a slow one still reads the maxima there: the
// barrier in block_sum comes after the write. The slow warp then subtracts a maximum that is a sum.
//
// Rejected by: racecheck (race) with --rows 9 --cols 70
#pragma once

#include "../kernel.cuh"

namespace one_partial {

__device__ inline float block_max(float value, float (&partial)[kWarpSize]) {
  const int lane = threadIdx.x % kWarpSize;
  value = group_max<kWarpSize>(value);
  if (lane == 0) {
    partial[threadIdx.x / kWarpSize] = value;
  }
  __syncthreads();
  const int warps = blockDim.x / kWarpSize;
  return group_max<kWarpSize>(lane < warps ? partial[lane] : -INFINITY);
}

__device__ inline float block_sum(float value, float (&partial)[kWarpSize]) {
  const int lane = threadIdx.x % kWarpSize;
  value = group_sum<kWarpSize>(value);
  if (lane == 0) {
    partial[threadIdx.x / kWarpSize] = value;
  }
  __syncthreads();
  const int warps = blockDim.x / kWarpSize;
  return group_sum<kWarpSize>(lane < warps ? partial[lane] : 0.0f);
}

template <int kPack>
__global__ void __launch_bounds__(1024)
    softmax_block_kernel(const float* x, float* y, std::size_t rows, unsigned cols) {
  extern __shared__ float4 row_storage[];                    // float4 for its alignment
  float* const row = reinterpret_cast<float*>(row_storage);  // (cols)
  __shared__ float partial_max[kWarpSize];
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
    sum = block_sum(sum, partial_max);

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
  const std::size_t shared_bytes = cols * sizeof(float);
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
  one_partial::launch_softmax_block<1>(x, y, rows, cols, stream);
}

}  // namespace one_partial
