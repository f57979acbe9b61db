// Four neighboring outputs per thread. For four taps they need eight inputs, two packs, of which the
// second is the first of the next four taps: one 128-bit load for 16 multiplications.
// With few taps that is faster than a tile in shared memory: no thread waits at a barrier, and the L1
// cache holds what neighbors share.
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;            // threads in a block
constexpr int kPack = 4;                   // floats in a 128-bit access
constexpr int kTile = kBlockSize * kPack;  // outputs one block computes

// The four elements of `from` at `first`, a multiple of 4; zeros behind the end, which only outputs
// that are not there would need.
__device__ float4 load_pack(const float* from, unsigned first, unsigned size) {
  if (first + kPack <= size) return *reinterpret_cast<const float4*>(from + first);
  float4 pack = {};
  if (first < size) pack.x = from[first];
  if (first + 1 < size) pack.y = from[first + 1];
  if (first + 2 < size) pack.z = from[first + 2];
  return pack;
}

__global__ void convolution_kernel(const float* input, const float* kernel, float* output,
                                   unsigned input_size, unsigned kernel_size) {
  const unsigned output_size = input_size - kernel_size + 1;
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * kPack;
  if (first >= output_size) return;

  float sum[kPack] = {};
  float4 low = load_pack(input, first, input_size);
  for (unsigned tap = 0; tap < kernel_size; tap += kPack) {
    const float4 high = load_pack(input, first + tap + kPack, input_size);
    const float window[2 * kPack] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int t = 0; t < kPack; ++t) {
      if (tap + t < kernel_size) {  // no tap of zero instead: zero times infinity is not a number
        const float weight = kernel[tap + t];
#pragma unroll
        for (int o = 0; o < kPack; ++o) sum[o] += window[o + t] * weight;
      }
    }
    low = high;
  }

  if (first + kPack <= output_size) {
    *reinterpret_cast<float4*>(output + first) = make_float4(sum[0], sum[1], sum[2], sum[3]);
  } else {
#pragma unroll
    for (unsigned o = 0; o < kPack; ++o) {
      if (first + o < output_size) output[first + o] = sum[o];
    }
  }
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size,
                      int kernel_size) {
  const int output_size = input_size - kernel_size + 1;
  const int blocks = (output_size - 1) / kTile + 1;
  convolution_kernel<<<blocks, kBlockSize>>>(input, kernel, output, input_size, kernel_size);
}
