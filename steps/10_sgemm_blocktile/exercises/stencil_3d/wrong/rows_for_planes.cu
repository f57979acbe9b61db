// stencil_3d whose planes are nx rows long.
//
// They are ny rows long. Right where ny and nx are equal.
//
// May also show: memcheck (out_of_bounds)
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

__global__ void stencil_kernel(const float* input, float* output, int nz, int ny, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  const std::size_t row = nx, plane = std::size_t(nx) * nx, i = z * row * ny + y * row + x;
  const bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
  output[i] = inside ? (input[i] + input[i - 1] + input[i + 1] + input[i - row] + input[i + row] +
                        input[i - plane] + input[i + plane]) /
                           7
                     : input[i];
}

extern "C" void solve(const float* input, float* output, int nz, int ny, int nx) {
  const dim3 block(32, 8);
  const dim3 grid((nx + 31) / 32, (ny + 7) / 8, nz);
  stencil_kernel<<<grid, block>>>(input, output, nz, ny, nx);
}
