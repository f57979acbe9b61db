// Transpose through tiles in shared memory that are as thin as the matrix. If it has few columns,
// a tile is one dense stretch of the input; if it has few rows, one of the output.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>

__device__ inline unsigned quotient(unsigned i, unsigned n) {  // i / n; neither is above 2^15
  return __umulhi(2 * i, (1u << 31) / n + 1);
}

template <int kWords, int kBlockSize>  // floats of a tile, shape.x columns by shape.y rows
__global__ void __launch_bounds__(kBlockSize)
    transpose_tile_fitted_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 unsigned tiles_across, uint2 shape) {
  __shared__ float tile[kWords];
  const unsigned pitch = shape.x | 1;  // odd, for the banks
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * shape.y;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * shape.x;
  const auto height = static_cast<unsigned>(min(rows - first_row, std::size_t{shape.y}));
  const auto width = static_cast<unsigned>(min(cols - first_col, std::size_t{shape.x}));

#pragma unroll
  for (unsigned i = threadIdx.x; i < kWords; i += kBlockSize) {
    const unsigned y = quotient(i, width), x = i - y * width;
    const float* const from = in + (first_row + y) * cols + first_col + x;
    if (y < height) __pipeline_memcpy_async(tile + y * pitch + x, from, sizeof(float));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
#pragma unroll
  for (unsigned i = threadIdx.x; i < kWords; i += kBlockSize) {
    const unsigned x = quotient(i, height), y = i - x * height;
    if (x < width) out[(first_col + x) * rows + first_row + y] = tile[y * pitch + x];
  }
}

inline void transpose_tile_fitted(const float* in, float* out, std::size_t rows, std::size_t cols,
                                  cudaStream_t stream) {
  constexpr unsigned kWords = 8192, kBlockSize = 512;
  if (rows == 0 || cols == 0) return;
  const unsigned few = min(min(rows, cols), std::size_t{64});
  const unsigned many = (kWords / (few | 1) - 1) / 32 * 32;  // whole warps
  const uint2 shape = rows < cols ? uint2{many, few} : uint2{few, many};
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + shape.x - 1) / shape.x);
  const auto tiles_down = static_cast<unsigned>((rows + shape.y - 1) / shape.y);
  transpose_tile_fitted_kernel<kWords, kBlockSize>
      <<<tiles_across * tiles_down, kBlockSize, 0, stream>>>(in, out, rows, cols, tiles_across,
                                                             shape);
}
