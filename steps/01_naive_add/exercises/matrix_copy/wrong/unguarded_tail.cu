// matrix_copy that rounds the number of packs up, to have no tail.
//
// The last pack reaches up to three elements behind the end of both matrices: N * N is a multiple
// of four for even N only.
//
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;            // threads in a block
constexpr int kPack = 4;                   // floats in a 128-bit access
constexpr int kTile = kBlockSize * kPack;  // elements one block handles

__global__ void copy_float4_kernel(const float* a, float* b, std::size_t n) {
  const std::size_t packs = (n + kPack - 1) / kPack;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < packs) reinterpret_cast<float4*>(b)[i] = reinterpret_cast<const float4*>(a)[i];
}

extern "C" void solve(const float* A, float* B, int N) {
  const std::size_t elements = std::size_t(N) * N;
  const auto blocks = static_cast<unsigned>((elements - 1) / kTile + 1);
  copy_float4_kernel<<<blocks, kBlockSize>>>(A, B, elements);
}
