// One thread per output. Neighboring threads read nearly the same inputs, which the L1 cache
// holds, and all of them the same tap; but every multiplication costs two loads.
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void convolution_kernel(const float* input, const float* kernel, float* output,
                                   int output_size, int kernel_size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < output_size) {
    float sum = 0.0f;
    for (int tap = 0; tap < kernel_size; ++tap) sum += input[i + tap] * kernel[tap];
    output[i] = sum;
  }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size,
                      int kernel_size) {
  const int output_size = input_size - kernel_size + 1;
  const int blocks = (output_size - 1) / kBlockSize + 1;
  convolution_kernel<<<blocks, kBlockSize>>>(input, kernel, output, output_size, kernel_size);
}
