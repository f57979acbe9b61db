// matrix_copy that takes rows for columns where it writes.
//
// The result is the transposed matrix. Equal elements, or a matrix of one element, would not
// tell.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockCols = 32;  // threads of a block in x: one warp
constexpr int kBlockRows = 8;

__global__ void copy_kernel(const float* a, float* b, int n) {
  const int row = blockIdx.y * kBlockRows + threadIdx.y;
  const int col = blockIdx.x * kBlockCols + threadIdx.x;
  if (row < n && col < n) b[std::size_t(col) * n + row] = a[std::size_t(row) * n + col];
}

extern "C" void solve(const float* A, float* B, int N) {
  const dim3 block(kBlockCols, kBlockRows);
  const dim3 grid((N - 1) / kBlockCols + 1, (N - 1) / kBlockRows + 1);
  copy_kernel<<<grid, block>>>(A, B, N);
}
