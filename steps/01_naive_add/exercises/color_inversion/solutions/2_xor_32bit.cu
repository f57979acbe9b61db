// 255 - c flips all bits of c, so one xor inverts a whole pixel: one load, one store. The bytes of
// a word lie in memory from the lowest up, so that alpha, the last byte, is the highest one.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr unsigned kAllButAlpha = 0x00ffffff;

__global__ void invert_kernel(unsigned* image, std::size_t pixels) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < pixels) image[i] ^= kAllButAlpha;
}

extern "C" void solve(unsigned char* image, int width, int height) {
  const std::size_t pixels = std::size_t(width) * height;
  const auto blocks = static_cast<unsigned>((pixels - 1) / kBlockSize + 1);
  invert_kernel<<<blocks, kBlockSize>>>(reinterpret_cast<unsigned*>(image), pixels);
}
