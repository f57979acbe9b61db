// A larger tile for fewer threads: eight loads under way in each of them before the barrier, and
// eight stores behind it. The padded tile and the walk along rows on both sides stay as they were.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 64;                      // side of a tile
constexpr int kBlockRows = 8;                  // rows of the tile that a block covers at once
constexpr int kElements = kTile / kBlockRows;  // elements that a thread handles

__global__ void __launch_bounds__(kTile* kBlockRows)
    transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];  // one word of padding per row
  const unsigned tiles_across = (cols - 1) / kTile + 1;
  const int first_row = blockIdx.x / tiles_across * kTile;
  const int first_col = blockIdx.x % tiles_across * kTile;

  {
    const int col = first_col + threadIdx.x;
    float value[kElements] = {};
#pragma unroll
    for (int k = 0; k < kElements; ++k) {
      const int row = first_row + threadIdx.y + k * kBlockRows;
      if (row < rows && col < cols) value[k] = in[std::size_t(row) * cols + col];
    }
#pragma unroll
    for (int k = 0; k < kElements; ++k) tile[threadIdx.y + k * kBlockRows][threadIdx.x] = value[k];
  }
  __syncthreads();
  {
    const int row = first_row + threadIdx.x;
#pragma unroll
    for (int k = 0; k < kElements; ++k) {
      const int tile_col = threadIdx.y + k * kBlockRows;
      const int col = first_col + tile_col;
      if (row < rows && col < cols)
        out[std::size_t(col) * rows + row] = tile[threadIdx.x][tile_col];
    }
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const dim3 block(kTile, kBlockRows);
  const unsigned tiles = ((rows - 1) / kTile + 1) * ((cols - 1) / kTile + 1);
  transpose_kernel<<<tiles, block>>>(input, output, rows, cols);
}
