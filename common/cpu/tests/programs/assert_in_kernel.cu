// A failed assertion ends the kernel, and every later call says so. Exit code 0 if it is seen.
#include <assert.h>
#include <stdio.h>

__global__ void check(int limit) { assert(threadIdx.x < limit); }

int main() {
  check<<<1, 8>>>(8);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  check<<<1, 8>>>(5);
  if (cudaDeviceSynchronize() != cudaErrorAssert) return 2;
  int* p;
  return cudaMalloc(&p, 4) == cudaErrorAssert ? 0 : 3;
}
