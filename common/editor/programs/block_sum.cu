// The sum of each block's elements: what docs/pages/debugging.md looks at with gdb.
#include <cstdio>

__global__ void block_sum(const float* x, float* sums) {
  __shared__ float part[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = x[i];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main() {
  constexpr int kBlocks = 4, kThreads = 64;
  float *x, *sums;
  cudaMallocManaged(&x, kBlocks * kThreads * sizeof(float));
  cudaMallocManaged(&sums, kBlocks * sizeof(float));
  for (int i = 0; i < kBlocks * kThreads; ++i) x[i] = i;
  block_sum<<<kBlocks, kThreads>>>(x, sums);
  cudaDeviceSynchronize();
  for (int b = 0; b < kBlocks; ++b) std::printf("block %d: %g\n", b, sums[b]);
  cudaFree(x);
  cudaFree(sums);
}
