// matrix_transpose: a macro for the tile, dim3 grids, a lambda, error checks by a macro.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define TILE 16
#define CHECK(call)                                          \
  do {                                                       \
    cudaError_t e = (call);                                  \
    if (e != cudaSuccess) {                                  \
      fprintf(stderr, "%s\n", cudaGetErrorString(e));        \
      exit(EXIT_FAILURE);                                    \
    }                                                        \
  } while (0)

__global__ void matrix_transpose_kernel(const float* input, float* output, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  for (int row = blockIdx.y * TILE; row < rows; row += gridDim.y * TILE) {
    int x = blockIdx.x * TILE + threadIdx.x, y = row + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = input[y * cols + x];
    __syncthreads();
    x = row + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < cols) output[y * rows + x] = tile[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const auto blocks = [](int n) { return (n + TILE - 1) / TILE; };
  dim3 threadsPerBlock(TILE, TILE);
  dim3 blocksPerGrid(blocks(cols), min(blocks(rows), 65535));
  matrix_transpose_kernel<<<blocksPerGrid, threadsPerBlock>>>(input, output, rows, cols);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
