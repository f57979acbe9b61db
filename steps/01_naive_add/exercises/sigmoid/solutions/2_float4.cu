// Four elements per thread, with 128-bit accesses: four times as many bytes under way at once. While
// a warp computes its exponentials, the memory works for the others, so that they cost no time.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

constexpr int kBlockSize = 256;            // threads in a block
constexpr int kPack = 4;                   // floats in a 128-bit access
constexpr int kTile = kBlockSize * kPack;  // elements one block handles

__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__global__ void sigmoid_float4_kernel(const float* x, float* y, std::size_t n) {
  const std::size_t packs = n / kPack;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < packs) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(y)[i] =
        make_float4(sigmoid(v.x), sigmoid(v.y), sigmoid(v.z), sigmoid(v.w));
  }
  const std::size_t tail = packs * kPack + i;
  if (tail < n) y[tail] = sigmoid(x[tail]);
}

extern "C" void solve(const float* x, float* y, int N) {
  const int blocks = (N - 1) / kTile + 1;
  sigmoid_float4_kernel<<<blocks, kBlockSize>>>(x, y, N);
}
