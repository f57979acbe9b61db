// matrix_transpose whose guard has rows and columns swapped.
//
// Right for square matrices. For others it leaves elements out, and lets threads pass that are
// outside the matrix.
//
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockCols = 32;  // threads of a block in x: one warp
constexpr int kBlockRows = 8;

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const unsigned blocks_across = (cols - 1) / kBlockCols + 1;
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
  if (row < cols && col < rows) {
    out[std::size_t(col) * rows + row] = in[std::size_t(row) * cols + col];
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const dim3 block(kBlockCols, kBlockRows);
  // One dimension, for 2^31 - 1 blocks: in y the grid ends at 65535, too soon for a tall matrix.
  const unsigned blocks = ((rows - 1) / kBlockRows + 1) * ((cols - 1) / kBlockCols + 1);
  transpose_kernel<<<blocks, block>>>(input, output, rows, cols);
}
