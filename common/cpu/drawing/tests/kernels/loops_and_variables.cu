// A grid-stride loop; a variable of the device, and one of the constant memory.
__device__ float total[32];
__constant__ float factor[32];

__global__ void scale(const float* in, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];  // draws: global load 32:128
  atomicAdd(&total[threadIdx.x], sum * factor[threadIdx.x]);  // draws: global atomic 4:16
}

int main() {
  float* in;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMemset(in, 0, 1024 * sizeof(float));
  scale<<<4, 32>>>(in, 1024);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
