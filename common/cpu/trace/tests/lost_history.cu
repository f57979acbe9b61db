// More accesses, by different instructions and with no barrier between, than racecheck remembers.
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>

constexpr int kWords = 12 * 1024;
constexpr int kReads = 100;

__shared__ int words[kWords];

template <int kRead>
__device__ [[gnu::noinline]] int read_all() {
  int sum = 0;
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) sum += words[i] ^ kRead;
  return sum;
}
template <int... kRead>
__device__ int read_all_often(std::integer_sequence<int, kRead...>) {
  return (read_all<kRead>() + ...);
}

__global__ void read_often(int* y) {
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = i;
  __syncthreads();
  y[threadIdx.x] = read_all_often(std::make_integer_sequence<int, kReads>());
}

int main() {
  int* y = nullptr;
  cudaMalloc(&y, 32 * sizeof(int));
  read_often<<<1, 32>>>(y);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(y);
}
