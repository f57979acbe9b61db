// softmax_vector: scratch memory of its own, float limits, several kernels, helper functions,
// warpSize, dynamic shared memory.
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>

__device__ float warp_max(float v) {
  for (int offset = warpSize / 2; offset > 0; offset >>= 1)
    v = fmaxf(v, __shfl_down_sync(0xffffffff, v, offset));
  return v;
}

__global__ void max_kernel(const float* input, float* block_max, int N) {
  extern __shared__ float sdata[];
  float m = -FLT_MAX;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
    m = fmaxf(m, input[i]);
  m = warp_max(m);
  if (threadIdx.x % warpSize == 0) sdata[threadIdx.x / warpSize] = m;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < (blockDim.x + warpSize - 1) / warpSize; ++w) m = fmaxf(m, sdata[w]);
    block_max[blockIdx.x] = m;
  }
}

__global__ void exp_kernel(const float* input, float* output, const float* block_max, int blocks,
                           float* sum, int N) {
  float m = -FLT_MAX;
  for (int b = 0; b < blocks; ++b) m = fmaxf(m, block_max[b]);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    float e = expf(input[i] - m);
    output[i] = e;
    atomicAdd(sum, e);
  }
}

__global__ void divide_kernel(float* output, const float* sum, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) output[i] /= *sum;
}

extern "C" void solve(const float* input, float* output, int N) {
  int threadsPerBlock = 256;
  int blocks = min(16, (N + threadsPerBlock - 1) / threadsPerBlock);
  float *block_max = nullptr, *sum = nullptr;
  cudaMalloc((void**)&block_max, blocks * sizeof(float));
  cudaMalloc((void**)&sum, sizeof(float));
  cudaMemset(sum, 0, sizeof(float));
  max_kernel<<<blocks, threadsPerBlock, threadsPerBlock / 32 * sizeof(float)>>>(input, block_max, N);
  int all = (N + threadsPerBlock - 1) / threadsPerBlock;
  exp_kernel<<<all, threadsPerBlock>>>(input, output, block_max, blocks, sum, N);
  divide_kernel<<<all, threadsPerBlock>>>(output, sum, N);
  cudaDeviceSynchronize();
  cudaFree(block_max);
  cudaFree(sum);
}
