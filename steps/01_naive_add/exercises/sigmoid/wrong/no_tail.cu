// sigmoid that knows nothing but packs of four.
//
// Up to three elements at the end are never written. Right for every N that is a multiple of four.
//
// Rejected by: result
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
}

extern "C" void solve(const float* x, float* y, int N) {
  const int blocks = (N - 1) / kTile + 1;
  sigmoid_float4_kernel<<<blocks, kBlockSize>>>(x, y, N);
}
