// A block walks along z. Each thread keeps its column's last, current and next element in
// registers, and finds its neighbors in the plane in shared memory. So each element is loaded once,
// except in the frames of the tiles.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kCols = 32, kRows = 16, kPlanes = 32;  // elements that a block computes

__global__ void stencil_kernel(const float* input, float* output, int nz, int ny, int nx) {
  __shared__ float tile[kRows + 2][kCols + 2];
  const int x = blockIdx.x * kCols + threadIdx.x, y = blockIdx.y * kRows + threadIdx.y;
  const int first = blockIdx.z * kPlanes, last = min(first + kPlanes, nz);
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;  // fade 2
  const bool there = x < nx && y < ny;
  const std::size_t plane = std::size_t(ny) * nx, column = std::size_t(y) * nx + x;
  const bool at_left = threadIdx.x == 0, at_right = threadIdx.x == kCols - 1;
  const bool at_top = threadIdx.y == 0, at_bottom = threadIdx.y == kRows - 1;

  float before = 0.0f, here = 0.0f, after = 0.0f;
  if (there && first > 0) here = input[(first - 1) * plane + column];
  if (there) after = input[first * plane + column];
  for (int z = first; z < last; ++z) {
    before = here;                                                     // fade 2
    here = after;                                                      // fade 1
    if (there && z + 1 < nz) after = input[(z + 1) * plane + column];  // fade 2
    __syncthreads();  // the tile of the last plane has been read // fade 2
    const std::size_t i = z * plane + column;
    if (there) {
      tile[ty][tx] = here;                                    // fade 1
      if (at_left && x > 0) tile[ty][tx - 1] = input[i - 1];  // fade 2
      if (at_right && x < nx - 1) tile[ty][tx + 1] = input[i + 1];
      if (at_top && y > 0) tile[ty - 1][tx] = input[i - nx];
      if (at_bottom && y < ny - 1) tile[ty + 1][tx] = input[i + nx];  // fade 2
    }
    __syncthreads();       // fade 2
    if (!there) continue;  // fade 1
    const bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
    output[i] = inside ? (here + before + after + tile[ty][tx - 1] + tile[ty][tx + 1] +
                          tile[ty - 1][tx] + tile[ty + 1][tx]) /
                             7
                       : here;
  }
}

extern "C" void solve(const float* input, float* output, int nz, int ny, int nx) {
  const dim3 grid((nx + kCols - 1) / kCols, (ny + kRows - 1) / kRows, (nz + kPlanes - 1) / kPlanes);
  stencil_kernel<<<grid, dim3(kCols, kRows)>>>(input, output, nz, ny, nx);
}
