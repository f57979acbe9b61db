// Softmax by the book: a kernel for the maxima, one for the sums, one for the quotients.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

#include "reduce.cuh"
#include "rows.cuh"

// [softmax_three_kernels]
// Many blocks share a row: each takes a piece of it, and atomics put together what they find. One
// long row keeps the whole GPU busy this way. Grid barriers being launches, x is read three times.
constexpr int kPieceThreads = 256;
constexpr int kPiece = 4 * kPieceThreads;  // columns of a row that one block handles
static_assert(kPieceThreads % kWarpSize == 0 && kPieceThreads <= kWarpSize * kWarpSize,
              "block_max and block_sum want whole warps, and at most 32 of them");

// A piece of a row: where it starts in the matrix, how long it is (1..kPiece), and its row.
struct Piece {
  std::size_t row;
  std::size_t first;
  int cols;
};

__device__ inline Piece piece_of_row(std::size_t piece, std::size_t cols) {
  const std::size_t pieces_per_row = (cols + kPiece - 1) / kPiece;
  const std::size_t row = piece / pieces_per_row;
  const std::size_t first_col = piece % pieces_per_row * kPiece;
  const std::size_t left = cols - first_col;
  return {row, row * cols + first_col, left < kPiece ? static_cast<int>(left) : kPiece};
}

// Atomically *max = fmaxf(*max, value). The bits of floats from +0 up are ordered as those of
// integers are, and the bits of the others the other way round. *max may start with all bits set:
// that is below -infinity in both of these orders.
__device__ inline void atomic_max(float* max, float value) {
  if (__float_as_int(value) >= 0) {
    atomicMax(reinterpret_cast<int*>(max), __float_as_int(value));
  } else {
    atomicMin(reinterpret_cast<unsigned*>(max), __float_as_uint(value));
  }
}

__global__ void softmax_max_kernel(const float* x, float* row_max, std::size_t cols,
                                   std::size_t pieces) {
  __shared__ float partial[kWarpSize];
  for (std::size_t i = blockIdx.x; i < pieces; i += gridDim.x) {
    const Piece piece = piece_of_row(i, cols);
    float max = -INFINITY;
    for (int col = threadIdx.x; col < piece.cols; col += kPieceThreads) {
      max = fmaxf(max, x[piece.first + col]);
    }
    max = block_max(max, partial);
    if (threadIdx.x == 0) atomic_max(&row_max[piece.row], max);
    __syncthreads();  // before the next piece overwrites `partial`
  }
}

__global__ void softmax_sum_kernel(const float* x, const float* row_max, float* row_sum,
                                   std::size_t cols, std::size_t pieces) {
  __shared__ float partial[kWarpSize];
  for (std::size_t i = blockIdx.x; i < pieces; i += gridDim.x) {
    const Piece piece = piece_of_row(i, cols);
    const float max = row_max[piece.row];
    float sum = 0.0f;
    for (int col = threadIdx.x; col < piece.cols; col += kPieceThreads) {
      sum += expf(x[piece.first + col] - max);
    }
    sum = block_sum(sum, partial);
    if (threadIdx.x == 0) atomicAdd(&row_sum[piece.row], sum);
    __syncthreads();  // before the next piece overwrites `partial`
  }
}

__global__ void softmax_normalize_kernel(const float* x, const float* row_max, const float* row_sum,
                                         float* y, std::size_t cols, std::size_t pieces) {
  for (std::size_t i = blockIdx.x; i < pieces; i += gridDim.x) {
    const Piece piece = piece_of_row(i, cols);
    const float max = row_max[piece.row];
    const float scale = 1.0f / row_sum[piece.row];
    for (int col = threadIdx.x; col < piece.cols; col += kPieceThreads) {
      y[piece.first + col] = expf(x[piece.first + col] - max) * scale;
    }
  }
}

inline void softmax_three_kernels(const float* x, float* y, std::size_t rows, std::size_t cols,
                                  cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const std::size_t pieces = rows * ((cols + kPiece - 1) / kPiece);
  const unsigned blocks = grid_size(pieces);
  float* row_max = nullptr;  // (rows), and behind it the sums (rows)
  // Where there is no memory, the caller finds the error as it does that of a launch.
  if (cudaMallocAsync(&row_max, 2 * rows * sizeof(float), stream) != cudaSuccess) return;
  float* row_sum = row_max + rows;
  cudaMemsetAsync(row_max, 0xff, rows * sizeof(float), stream);  // below every float
  cudaMemsetAsync(row_sum, 0, rows * sizeof(float), stream);
  softmax_max_kernel<<<blocks, kPieceThreads, 0, stream>>>(x, row_max, cols, pieces);
  softmax_sum_kernel<<<blocks, kPieceThreads, 0, stream>>>(x, row_max, row_sum, cols, pieces);
  softmax_normalize_kernel<<<blocks, kPieceThreads, 0, stream>>>(x, row_max, row_sum, y, cols,
                                                                 pieces);
  cudaFreeAsync(row_max, stream);
}
// [softmax_three_kernels]
