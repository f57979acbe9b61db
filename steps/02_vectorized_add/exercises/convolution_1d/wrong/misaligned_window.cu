// convolution_1d that loads the four inputs of a tap with one 128-bit access.
//
// They start at element first + tap, which is a multiple of four for one tap in four.
//
// Rejected by: memcheck (misaligned)
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;            // threads in a block
constexpr int kPack = 4;                   // floats in a 128-bit access
constexpr int kTile = kBlockSize * kPack;  // outputs one block computes

__global__ void convolution_kernel(const float* input, const float* kernel, float* output,
                                   int output_size, int kernel_size) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kPack;
  if (first + kPack <= output_size) {
    float4 sum = {};
    for (int tap = 0; tap < kernel_size; ++tap) {
      const float4 four = *reinterpret_cast<const float4*>(input + first + tap);
      sum.x += four.x * kernel[tap];
      sum.y += four.y * kernel[tap];
      sum.z += four.z * kernel[tap];
      sum.w += four.w * kernel[tap];
    }
    *reinterpret_cast<float4*>(output + first) = sum;
  } else {
    for (int i = first; i < output_size; ++i) {
      float sum = 0.0f;
      for (int tap = 0; tap < kernel_size; ++tap) sum += input[i + tap] * kernel[tap];
      output[i] = sum;
    }
  }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size,
                      int kernel_size) {
  const int output_size = input_size - kernel_size + 1;
  const int blocks = (output_size - 1) / kTile + 1;
  convolution_kernel<<<blocks, kBlockSize>>>(input, kernel, output, output_size, kernel_size);
}
