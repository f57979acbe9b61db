// Rainbow table: R rounds of 32-bit FNV-1a over the four bytes of a number. The statement is in
// README.md.
#include <cuda_runtime.h>

__device__ unsigned int fnv1a(unsigned int number) {
  return 0;  // TODO: the hash of the four bytes of `number`, low byte first
}

__global__ void rainbow_kernel(const int* input, unsigned int* output, int N, int R) {
  // TODO
}

// input, output: device pointers to N numbers each.
extern "C" void solve(const int* input, unsigned int* output, int N, int R) {
  // TODO
}
