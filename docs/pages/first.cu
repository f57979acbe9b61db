// The first program: squares n numbers on the device.
//
//   build/cucpu docs/pages/first.cu -o first && ./first
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

// Runs on the device, once per thread.
__global__ void square(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // this thread's place in the grid
  if (i < n) x[i] = x[i] * x[i];                        // the last block has threads to spare
}

int main() {
  const int n = 1000;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);

  float* device = nullptr;
  cudaMalloc(&device, n * sizeof(float));
  cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);

  const int threads = 256;                         // per block
  const int blocks = (n + threads - 1) / threads;  // 1000 / 256, rounded up
  square<<<blocks, threads>>>(device, n);          // returns at once

  // Waits for the kernel, then copies its result.
  cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device);
  const cudaError_t error = cudaGetLastError();  // of any call above
  if (error != cudaSuccess) {
    std::printf("error: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("%d blocks of %d threads; the square of %d is %g\n", blocks, threads, n - 1,
              host[n - 1]);
}
