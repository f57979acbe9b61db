// One thread per element. All of the rounds happen in registers: 8 bytes of traffic an element, and
// 8 R integer instructions, each of which waits for the one before; other warps fill the gaps.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block

// 32-bit FNV-1a over the four bytes of a number, low byte first.
__device__ unsigned fnv1a(unsigned number) {
  constexpr unsigned kOffsetBasis = 2166136261u;
  constexpr unsigned kPrime = 16777619u;
  unsigned hash = kOffsetBasis;
  for (int byte = 0; byte < 4; ++byte) {
    hash ^= (number >> (8 * byte)) & 0xff;
    hash *= kPrime;  // modulo 2^32
  }
  return hash;
}

__global__ void rainbow_kernel(const int* input, unsigned* output, std::size_t n, int rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    auto value = static_cast<unsigned>(input[i]);
    for (int round = 0; round < rounds; ++round) value = fnv1a(value);
    output[i] = value;
  }
}

extern "C" void solve(const int* input, unsigned int* output, int N, int R) {
  const int blocks = (N - 1) / kBlockSize + 1;
  rainbow_kernel<<<blocks, kBlockSize>>>(input, output, N, R);
}
