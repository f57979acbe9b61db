// color_inversion with a thread for each byte, but only as many as there are pixels.
//
// A pixel has four bytes, so that three quarters of the image stay what they were.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kChannels = 4;     // red, green, blue, alpha: a byte each

__global__ void invert_kernel(unsigned char* image, std::size_t pixels) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < pixels && i % kChannels != kChannels - 1) {  // alpha stays
    image[i] = 255 - image[i];
  }
}

extern "C" void solve(unsigned char* image, int width, int height) {
  const std::size_t pixels = std::size_t(width) * height;
  const auto blocks = static_cast<unsigned>((pixels - 1) / kBlockSize + 1);
  invert_kernel<<<blocks, kBlockSize>>>(image, pixels);
}
