// softmax_three_kernels whose maxima start from zero.
//
// In a row of negative numbers the maximum stays zero. As long as they are small the result is
// right; below -103 all exponentials vanish, and the row is 0 / 0.
//
// Rejected by: result with --rows 9 --cols 70
#pragma once

#include "../14_softmax_three_kernels.cuh"

namespace maximum_from_zero {

inline void softmax_three_kernels(const float* x, float* y, std::size_t rows, std::size_t cols,
                                  cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  constexpr std::size_t kMaxBlocksInY = 65535;
  const dim3 blocks(grid_size((cols + kPiece - 1) / kPiece),
                    static_cast<unsigned>(std::min(rows, kMaxBlocksInY)));
  float* row_max = nullptr;  // (rows), and behind it the sums (rows)
  // Without memory, the caller finds the error as it finds that of a launch.
  if (cudaMallocAsync(&row_max, 2 * rows * sizeof(float), stream) != cudaSuccess) return;
  float* row_sum = row_max + rows;
  cudaMemsetAsync(row_max, 0, rows * sizeof(float), stream);
  cudaMemsetAsync(row_sum, 0, rows * sizeof(float), stream);
  softmax_three_kernels_kernel<Pass::kMax>
      <<<blocks, kBlockSize, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  softmax_three_kernels_kernel<Pass::kSum>
      <<<blocks, kBlockSize, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  softmax_three_kernels_kernel<Pass::kQuotient>
      <<<blocks, kBlockSize, 0, stream>>>(x, y, row_max, row_sum, rows, cols);
  cudaFreeAsync(row_max, stream);
}

}  // namespace maximum_from_zero
