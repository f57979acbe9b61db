// matrix_transpose without the barrier between filling the tile and emptying it.
//
// A thread writes out what another thread has read in. Without a barrier it may be there first, and
// takes what an earlier block has left.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 32;  // side of a tile; a warp is one row of a block

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];  // one word of padding per row
  const unsigned tiles_across = (cols - 1) / kTile + 1;
  const int first_row = blockIdx.x / tiles_across * kTile;
  const int first_col = blockIdx.x % tiles_across * kTile;

  {
    const int row = first_row + threadIdx.y;
    const int col = first_col + threadIdx.x;
    if (row < rows && col < cols) {
      tile[threadIdx.y][threadIdx.x] = in[std::size_t(row) * cols + col];
    }
  }
  {
    const int row = first_row + threadIdx.x;
    const int col = first_col + threadIdx.y;
    if (row < rows && col < cols) {
      out[std::size_t(col) * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const dim3 block(kTile, kTile);
  const unsigned tiles = ((rows - 1) / kTile + 1) * ((cols - 1) / kTile + 1);
  transpose_kernel<<<tiles, block>>>(input, output, rows, cols);
}
