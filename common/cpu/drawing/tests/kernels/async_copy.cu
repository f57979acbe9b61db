// An asynchronous copy is a load and a store by one instruction.
#include <cuda_pipeline.h>

__global__ void stage(const float* in, float* out) {
  __shared__ float s[64];
  // draws: global load 2:8, shared store 2:2
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];  // draws: shared load 2:2, global store 2:8
}

int main() {
  float* in;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  float* out;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(out, 0, 64 * sizeof(float));
  stage<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
