// Blocks each of which waits for the one before it, as in a scan in one pass over its input.
#include "check.h"

// ends[b] becomes one more than the sum of all blockIdx.x up to that of block b: blocks take their
// numbers in the order in which they begin.
__global__ void chain(int* next, int* ends) {
  __shared__ int number;
  if (threadIdx.x == 0) number = atomicAdd(next, 1);
  __syncthreads();
  const int b = number;
  if (threadIdx.x == blockDim.x - 1) {
    int before = 1;
    while (b > 0 && (before = atomicAdd(&ends[b - 1], 0)) == 0) {
    }
    __threadfence();
    atomicExch(&ends[b], before + b);
  }
}

int main() {
  constexpr int kBlocks = 1024;
  int* next = nullptr;
  int* ends = nullptr;
  CUDA_CHECK(cudaMallocManaged(&next, sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&ends, kBlocks * sizeof(int)));
  *next = 0;
  for (int b = 0; b < kBlocks; ++b) ends[b] = 0;
  chain<<<kBlocks, 256>>>(next, ends);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int b = 0; b < kBlocks; ++b) EXPECT(ends[b] == 1 + b * (b + 1) / 2);
  CUDA_CHECK(cudaFree(next));
  CUDA_CHECK(cudaFree(ends));
  return 0;
}
