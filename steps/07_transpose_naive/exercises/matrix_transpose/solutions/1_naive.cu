// One thread per element. A warp reads 32 neighbors of a row, 4 sectors, but writes down a column:
// 32 sectors, of which it uses four bytes each.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockCols = 32;  // threads of a block in x: one warp
constexpr int kBlockRows = 8;

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const unsigned blocks_across = (cols - 1) / kBlockCols + 1;
  const int row = blockIdx.x / blocks_across * kBlockRows + threadIdx.y;
  const int col = blockIdx.x % blocks_across * kBlockCols + threadIdx.x;
  if (row < rows && col < cols) {
    out[std::size_t(col) * rows + row] = in[std::size_t(row) * cols + col];
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const dim3 block(kBlockCols, kBlockRows);
  // One dimension, for 2^31 - 1 blocks: in y the grid ends at 65535, too soon for a tall matrix.
  const unsigned blocks = ((rows - 1) / kBlockRows + 1) * ((cols - 1) / kBlockCols + 1);
  transpose_kernel<<<blocks, block>>>(input, output, rows, cols);
}
