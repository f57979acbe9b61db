// convolution_1d in shared memory, without the barrier between filling the tile and using it.
//
// A thread multiplies inputs that others were to copy. Those of its own warp may be there; the rest
// are what an earlier block has left.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;  // threads in a block, and outputs it computes
constexpr int kMaxTaps = 2048;

__global__ void convolution_kernel(const float* input, const float* kernel, float* output,
                                   int input_size, int kernel_size) {
  __shared__ float tile[kBlockSize + kMaxTaps];
  const int first = blockIdx.x * kBlockSize;
  for (int i = threadIdx.x; i < kBlockSize + kernel_size - 1; i += kBlockSize) {
    if (first + i < input_size) tile[i] = input[first + i];
  }

  const int i = first + threadIdx.x;
  if (i + kernel_size <= input_size) {
    float sum = 0.0f;
    for (int tap = 0; tap < kernel_size; ++tap) sum += tile[threadIdx.x + tap] * kernel[tap];
    output[i] = sum;
  }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size,
                      int kernel_size) {
  const int output_size = input_size - kernel_size + 1;
  const int blocks = (output_size - 1) / kBlockSize + 1;
  convolution_kernel<<<blocks, kBlockSize>>>(input, kernel, output, input_size, kernel_size);
}
