// A block takes a tile and its mirror image, reads both along their rows, and writes each,
// transposed, along the rows of the other. A column of padding keeps the transposed reads free of
// bank conflicts.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 32, kRows = 8;  // a tile's side, and the threads of a block along y

__global__ void transpose_kernel(float* matrix, int n) {
  if (blockIdx.x < blockIdx.y) return;  // the block of the mirror image does it // fade 1
  __shared__ float upper[kTile][kTile + 1], lower[kTile][kTile + 1];  // fade 2
  const int top = blockIdx.y * kTile, left = blockIdx.x * kTile;      // fade 2
  for (int y = threadIdx.y; y < kTile; y += kRows) {                  // fade 2
    const int x = threadIdx.x;                                        // fade 2
    if (top + y < n && left + x < n) upper[y][x] = matrix[std::size_t(top + y) * n + left + x];
    if (left + y < n && top + x < n) lower[y][x] = matrix[std::size_t(left + y) * n + top + x];
  }
  __syncthreads();  // both are read before either is written // fade 1
  for (int y = threadIdx.y; y < kTile; y += kRows) {  // fade 2
    const int x = threadIdx.x;                        // fade 2
    if (left + y < n && top + x < n) matrix[std::size_t(left + y) * n + top + x] = upper[x][y];
    if (top != left && top + y < n && left + x < n)
      matrix[std::size_t(top + y) * n + left + x] = lower[x][y];  // fade 1
  }
}

extern "C" void solve(float* matrix, int n) {
  const int tiles = (n + kTile - 1) / kTile;  // fade 2
  transpose_kernel<<<dim3(tiles, tiles), dim3(kTile, kRows)>>>(matrix, n);
}
