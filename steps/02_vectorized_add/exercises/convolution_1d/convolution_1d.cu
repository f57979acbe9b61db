// Convolution in one dimension, valid mode, no flip. The statement is in README.md.
#include <cuda_runtime.h>

__global__ void convolution_kernel(const float* input, const float* kernel, float* output,
                                   int input_size, int kernel_size) {
  // TODO: how many outputs are there, and which inputs does output i need?
}

// Device pointers to input_size, kernel_size, and input_size - kernel_size + 1 floats.
extern "C" void solve(const float* input, const float* kernel, float* output, int input_size,
                      int kernel_size) {
  // TODO
}
