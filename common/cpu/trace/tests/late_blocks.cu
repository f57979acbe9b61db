// Blocks that do not end in time, in kernels that keep a checker at work. Each such launch is
// followed by a right one.
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr unsigned kWords = 8192;

__global__ void races_on(int* x) {
  for (unsigned i = threadIdx.x; i < 1u << 31; i += 7) {
    x[i % (kWords / 2)] ^= i;
    if (i % 5 == 0) x[kWords / 2 + (i * 13 + threadIdx.x) % (kWords / 2)] += x[i % kWords];
  }
}

__global__ void count(int* x) { atomicAdd(x, 1); }

cudaError_t result_of(void (*kernel)(int*)) {
  int* x = nullptr;
  cudaMalloc(&x, kWords * sizeof(int));
  cudaMemset(x, 0, kWords * sizeof(int));
  kernel<<<16, 32>>>(x);
  const cudaError_t result = cudaDeviceSynchronize();
  cudaDeviceReset();
  return result;
}

}  // namespace

int main() {
  for (int round = 0; round < 6; ++round) {
    const cudaError_t late = result_of(races_on);
    std::printf("%s %s\n", cudaGetErrorName(late), cudaGetErrorName(result_of(count)));
    std::fflush(stdout);
  }
}
