// transpose_in_place in which both threads of a pair swap it.
//
// Two threads read and write the same two elements at the same time; at best they swap them back.
//
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

#include <cstddef>

__global__ void transpose_kernel(float* matrix, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= n || row >= n) return;
  float* here = &matrix[std::size_t(row) * n + col];
  float* mirror = &matrix[std::size_t(col) * n + row];
  const float value = *here;
  *here = *mirror;
  *mirror = value;
}

extern "C" void solve(float* matrix, int n) {
  const dim3 block(32, 8);
  const dim3 grid((n + 31) / 32, (n + 7) / 8);
  transpose_kernel<<<grid, block>>>(matrix, n);
}
