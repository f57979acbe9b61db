// color_inversion: uchar4, a grid-stride loop, an unsigned index, uint32_t.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void invert_kernel(unsigned char* image, int width, int height) {
  uchar4* pixels = (uchar4*)image;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < width * height;
       i += gridDim.x * blockDim.x) {
    uchar4 p = pixels[i];
    pixels[i] = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, p.w);
  }
}

extern "C" void solve(unsigned char* image, int width, int height) {
  int threadsPerBlock = 256;
  int blocksPerGrid = (width * height + threadsPerBlock - 1) / threadsPerBlock;
  invert_kernel<<<blocksPerGrid, threadsPerBlock>>>(image, width, height);
  cudaDeviceSynchronize();
}
