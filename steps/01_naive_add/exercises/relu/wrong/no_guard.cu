// relu without its guard: every thread of every block changes an element.
//
// The grid is rounded up to whole blocks, so that the last one reads and writes past the end of the
// vector. Nothing stops it on a GPU: it spoils what lies there.
//
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

__global__ void relu_kernel(float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = fmaxf(x[i], 0.0f);
}

extern "C" void solve(float* x, int n) {
  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  relu_kernel<<<blocks, threads>>>(x);
}
