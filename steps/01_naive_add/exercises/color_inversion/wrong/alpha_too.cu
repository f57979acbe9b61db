// color_inversion that flips all four bytes of a pixel.
//
// Alpha is no color: opaque pixels come out transparent.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr unsigned kAllBytes = 0xffffffff;

__global__ void invert_kernel(unsigned* image, std::size_t pixels) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < pixels) image[i] ^= kAllBytes;
}

extern "C" void solve(unsigned char* image, int width, int height) {
  const std::size_t pixels = std::size_t(width) * height;
  const auto blocks = static_cast<unsigned>((pixels - 1) / kBlockSize + 1);
  invert_kernel<<<blocks, kBlockSize>>>(reinterpret_cast<unsigned*>(image), pixels);
}
