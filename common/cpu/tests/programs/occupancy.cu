// Block sizes from the occupancy calculator, properties of the device, attributes of a kernel.
#include <string.h>

#include "check.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  (void)argc, (void)argv;
  int devices = 0;
  CUDA_CHECK(cudaGetDeviceCount(&devices));
  EXPECT(devices >= 1);
  CUDA_CHECK(cudaSetDevice(0));
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(strlen(properties.name) > 0 && properties.warpSize == 32);
  EXPECT(properties.multiProcessorCount > 0 && properties.maxThreadsPerBlock == 1024);

  int min_grid = 0, block = 0, resident = 0;
  CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, saxpy, 0, 0));
  EXPECT(min_grid > 0 && block > 0 && block % 32 == 0);
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, saxpy, block, 0));
  EXPECT(resident > 0);
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, saxpy));
  EXPECT(attributes.maxThreadsPerBlock == 1024);

  const int n = 12'345;
  float *x, *y;
  CUDA_CHECK(cudaMallocManaged(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&y, n * sizeof(float)));
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = 1.0f;
  saxpy<<<min_grid, block>>>(n, 2, x, y);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(y[i] == 2.0f * i + 1.0f);
  for (void* p : {(void*)x, (void*)y}) CUDA_CHECK(cudaFree(p));
}
