// A kernel as fast as the runtime's copy: with 128-bit accesses a quarter of the threads have four
// times as many bytes under way. They run across the ends of rows, and so are aligned for every N.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;            // threads in a block
constexpr int kPack = 4;                   // floats in a 128-bit access
constexpr int kTile = kBlockSize * kPack;  // elements one block handles

__global__ void copy_float4_kernel(const float* a, float* b, std::size_t n) {
  const std::size_t packs = n / kPack;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < packs) reinterpret_cast<float4*>(b)[i] = reinterpret_cast<const float4*>(a)[i];
  const std::size_t tail = packs * kPack + i;  // up to three elements, for the first threads
  if (tail < n) b[tail] = a[tail];
}

extern "C" void solve(const float* A, float* B, int N) {
  const std::size_t elements = std::size_t(N) * N;
  const auto blocks = static_cast<unsigned>((elements - 1) / kTile + 1);
  copy_float4_kernel<<<blocks, kBlockSize>>>(A, B, elements);
}
