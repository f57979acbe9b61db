// matrix_transpose that takes the rows of the output to be as long as those of the input.
//
// A row of the output has `rows` elements. For a wide matrix the last rows land far outside; for a
// tall one, rows overwrite each other.
//
// May also show: racecheck (race)
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockCols = 32;  // threads of a block in x: one warp
constexpr int kBlockRows = 8;

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const unsigned blocks_across = (cols - 1) / kBlockCols + 1;
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
  if (row < rows && col < cols) {
    out[std::size_t(col) * cols + row] = in[std::size_t(row) * cols + col];
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const dim3 block(kBlockCols, kBlockRows);
  // One dimension, for 2^31 - 1 blocks: in y the grid ends at 65535, too soon for a tall matrix.
  const unsigned blocks = ((rows - 1) / kBlockRows + 1) * ((cols - 1) / kBlockCols + 1);
  transpose_kernel<<<blocks, block>>>(input, output, rows, cols);
}
