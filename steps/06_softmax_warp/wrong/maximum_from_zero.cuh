// softmax_three_kernels whose maxima start from zero.
//
// In a row of negative numbers the maximum stays zero. As long as they are small the result is
// right; below -103 all exponentials vanish, and the row is 0 / 0.
//
// Rejected by: result with --rows 9 --cols 70
#pragma once

#include "../kernel.cuh"

namespace maximum_from_zero {

inline void softmax_three_kernels(const float* x, float* y, std::size_t rows, std::size_t cols,
                                  cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const std::size_t pieces = rows * ((cols + kPiece - 1) / kPiece);
  const unsigned blocks = grid_size(pieces);
  float* row_max = nullptr;  // (rows), and behind it the sums (rows)
  // Where there is no memory, the caller finds the error as it does that of a launch.
  if (cudaMallocAsync(&row_max, 2 * rows * sizeof(float), stream) != cudaSuccess) return;
  float* row_sum = row_max + rows;
  cudaMemsetAsync(row_max, 0, rows * sizeof(float), stream);
  cudaMemsetAsync(row_sum, 0, rows * sizeof(float), stream);
  softmax_max_kernel<<<blocks, kPieceThreads, 0, stream>>>(x, row_max, cols, pieces);
  softmax_sum_kernel<<<blocks, kPieceThreads, 0, stream>>>(x, row_max, row_sum, cols, pieces);
  softmax_normalize_kernel<<<blocks, kPieceThreads, 0, stream>>>(x, row_max, row_sum, y, cols,
                                                                 pieces);
  cudaFreeAsync(row_max, stream);
}

}  // namespace maximum_from_zero
