// Softmax of every row of a matrix, y = exp(x - max) / sum: the reduction applied twice.
//
// x and y are (rows, cols), row-major. The maximum is subtracted so that no exponential overflows;
// the largest becomes exp(0) = 1. A row that holds +infinity or NaN, or nothing but -infinity, has
// no softmax: its elements come out as NaN.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

#include "reduce.cuh"
#include "rows.cuh"
#include "softmax_block.cuh"
#include "softmax_cluster.cuh"
#include "softmax_online.cuh"
#include "softmax_three_kernels.cuh"
#include "softmax_warp_packed.cuh"

constexpr int kBlockSize = 256;                 // threads in a block
constexpr int kWarps = kBlockSize / kWarpSize;  // warps in a block, and rows it has at a time
constexpr int kTile = kMaxBlockCols;            // columns that a block of the fastest has room for
static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");

// The largest `value` of the warp; valid in lane 0.
__device__ inline float warp_max(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value = fmaxf(value, __shfl_down_sync(kAllLanes, value, half));
  }
  return value;
}

// The sum of `value` over the warp; valid in lane 0.
__device__ inline float warp_sum(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}

// [softmax_warp_shared]
// A warp a row. Lane 0 has the results, and hands them round through shared memory. Two slots a
// warp: between two writes of one lies the barrier that goes with the other.
__global__ void softmax_warp_shared_kernel(const float* x, float* y, std::size_t rows,
                                           std::size_t cols) {
  __shared__ float shared_max[kWarps];
  __shared__ float shared_sum[kWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const std::size_t first_row = std::size_t{blockIdx.x} * kWarps + warp;
  for (std::size_t row = first_row; row < rows; row += std::size_t{gridDim.x} * kWarps) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float max = -INFINITY;
    for (std::size_t col = lane; col < cols; col += kWarpSize) max = fmaxf(max, in[col]);
    max = warp_max(max);
    if (lane == 0) shared_max[warp] = max;
    __syncwarp();  // no lane reads before lane 0 has written
    max = shared_max[warp];

    LongSum part = {};
    for (std::size_t col = lane; col < cols; col += kWarpSize) add_term(part, expf(in[col] - max));
    float sum = warp_sum(part.value);
    if (lane == 0) shared_sum[warp] = sum;
    __syncwarp();
    sum = shared_sum[warp];

    const float scale = 1.0f / sum;
    for (std::size_t col = lane; col < cols; col += kWarpSize) {
      out[col] = expf(in[col] - max) * scale;
    }
  }
}

inline void softmax_warp_shared(const float* x, float* y, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned blocks = grid_size((rows + kWarps - 1) / kWarps);
  softmax_warp_shared_kernel<<<blocks, kBlockSize, 0, stream>>>(x, y, rows, cols);
}
// [softmax_warp_shared]

// [softmax_warp_shuffle]
// A warp a row. The xor shuffle leaves the results in every lane.
__global__ void softmax_warp_shuffle_kernel(const float* x, float* y, std::size_t rows,
                                            std::size_t cols) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const std::size_t first_row = std::size_t{blockIdx.x} * kWarps + warp;
  for (std::size_t row = first_row; row < rows; row += std::size_t{gridDim.x} * kWarps) {
    const float* const in = x + row * cols;
    float* const out = y + row * cols;

    float max = -INFINITY;
    for (std::size_t col = lane; col < cols; col += kWarpSize) max = fmaxf(max, in[col]);
    max = group_max<kWarpSize>(max);

    LongSum part = {};
    for (std::size_t col = lane; col < cols; col += kWarpSize) add_term(part, expf(in[col] - max));
    const float sum = group_sum<kWarpSize>(part.value);

    const float scale = 1.0f / sum;
    for (std::size_t col = lane; col < cols; col += kWarpSize) {
      out[col] = expf(in[col] - max) * scale;
    }
  }
}

inline void softmax_warp_shuffle(const float* x, float* y, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned blocks = grid_size((rows + kWarps - 1) / kWarps);
  softmax_warp_shuffle_kernel<<<blocks, kBlockSize, 0, stream>>>(x, y, rows, cols);
}
// [softmax_warp_shuffle]

// [softmax]
constexpr int kShortRow = 512;             // columns: a group of lanes has the row
constexpr int kManyPieces = 128 * kPiece;  // columns: enough to keep all SMs busy with one row

// The kernel for the shape: rows that share a warp or have one each; a block a row, or a cluster of
// blocks; or else, where few rows are too long for that, many blocks and three passes.
inline void softmax(const float* x, float* y, std::size_t rows, std::size_t cols,
                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const bool few_rows = rows < std::size_t(multiprocessors()) / 4;
  if (cols <= kShortRow) {
    softmax_warp_packed(x, y, rows, cols, stream);
  } else if (few_rows && cols >= kManyPieces && cols > max_cluster_cols()) {
    softmax_three_kernels(x, y, rows, cols, stream);
  } else {
    softmax_cluster(x, y, rows, cols, stream);
  }
}
// [softmax]
