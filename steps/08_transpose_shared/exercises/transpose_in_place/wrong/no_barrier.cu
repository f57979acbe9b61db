// transpose_in_place that writes a tile while other warps still read its mirror image.
//
// Without the barrier the words of shared memory are not there yet, and elements of the matrix are
// overwritten before they are read.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 32, kRows = 8;  // a tile's side, and the threads of a block along y

__global__ void transpose_kernel(float* matrix, int n) {
  if (blockIdx.x < blockIdx.y) return;  // the block of the mirror image does it
  __shared__ float upper[kTile][kTile + 1], lower[kTile][kTile + 1];
  const int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kRows) {
    const int x = threadIdx.x;
    if (top + y < n && left + x < n) upper[y][x] = matrix[std::size_t(top + y) * n + left + x];
    if (left + y < n && top + x < n) lower[y][x] = matrix[std::size_t(left + y) * n + top + x];
  }
  for (int y = threadIdx.y; y < kTile; y += kRows) {
    const int x = threadIdx.x;
    if (left + y < n && top + x < n) matrix[std::size_t(left + y) * n + top + x] = upper[x][y];
    if (top != left && top + y < n && left + x < n)
      matrix[std::size_t(top + y) * n + left + x] = lower[x][y];
  }
}

extern "C" void solve(float* matrix, int n) {
  const int tiles = (n + kTile - 1) / kTile;
  transpose_kernel<<<dim3(tiles, tiles), dim3(kTile, kRows)>>>(matrix, n);
}
