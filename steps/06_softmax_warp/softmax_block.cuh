// Softmax of rows that fit in shared memory, a block a row: x is read once.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

#include "reduce.cuh"
#include "rows.cuh"
#include "softmax_online.cuh"

// [softmax_block]
// Every thread comes back to the elements that it put into `row` itself, so the only barriers are
// those of the two reductions.
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

constexpr std::size_t kPartialBytes = 2 * kWarpSize * sizeof(float);  // partial_max, partial_sum

// Whether a block can have a whole row in shared memory.
inline bool row_fits_a_block(std::size_t cols) {
  const int max_shared = current_device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return cols <= (static_cast<std::size_t>(max_shared) - kPartialBytes) / sizeof(float);
}

// The block size that keeps most threads on an SM at once. Small blocks reach the limit of blocks
// an SM; long rows leave room for few blocks, which then have to be large. Of equals the smaller:
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
  if (rows == 0 || cols == 0) return;
  if (!row_fits_a_block(cols)) {
    softmax_online(x, y, rows, cols, stream);
  } else if (rows_are_aligned(x, y, cols)) {
    launch_softmax_block<4>(x, y, rows, cols, stream);
  } else {
    launch_softmax_block<1>(x, y, rows, cols, stream);
  }
}
// [softmax_block]
