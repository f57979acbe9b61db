// 1,000 launches, a third of which fail in one way or another, each followed by a right one: what a
// failed launch leaves behind must not hurt the launches after it. To be run under valgrind.
#undef NDEBUG
#include <assert.h>
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr unsigned kFull = 0xffffffffu;

// Lanes of each warp meet at different places, so that exchanges are pending or still to be read.
__device__ int exchange(int value) {
  if (threadIdx.x % 32 < 16)
    value += __shfl_xor_sync(0x0000ffffu, value, 1);
  else
    value += __shfl_xor_sync(0xffff0000u, value, 2);
  return value;
}

__global__ void right(int* out) {
  __shared__ int values[256];
  values[threadIdx.x] = exchange(1);
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

__global__ void waits_for_ever(int* out) {
  out[threadIdx.x] = exchange(1);
  if (threadIdx.x % 32 == 5)
    __syncthreads();
  else
    __syncwarp(kFull);
}

__global__ void two_barriers(int* out) {
  out[threadIdx.x] = exchange(1);
  if (threadIdx.x % 32 < 16)
    __syncthreads();
  else
    __syncthreads();
}

__global__ void outside_its_mask(int* out) {
  out[threadIdx.x] = exchange(1);
  __shfl_sync(0x0000ffffu, 1, 0);
}

__global__ void asserts(int* out) {
  out[threadIdx.x] = exchange(1);
  assert(threadIdx.x + 1 < blockDim.x);
}

__global__ void null_access(int* out) {
  out[threadIdx.x] = exchange(1);
  if (threadIdx.x % 32 == 31) *static_cast<volatile int*>(nullptr) = 1;
}

using Kernel = void (*)(int*);
constexpr Kernel kWrong[] = {waits_for_ever, two_barriers, outside_its_mask, asserts, null_access};
constexpr int kKinds = 6;  // those, and a configuration that is refused

int require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return 0;
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}

// True if the launch has failed as it must.
bool fails(int kind, unsigned threads, int* memory) {
  if (kind == kKinds - 1) {
    right<<<1, 2048>>>(memory);
    return cudaGetLastError() == cudaErrorInvalidConfiguration;
  }
  kWrong[kind]<<<2, threads>>>(memory);
  return cudaDeviceSynchronize() != cudaSuccess && cudaDeviceReset() == cudaSuccess;
}

bool is_right(unsigned threads) {
  int* memory = nullptr;
  require(cudaMallocManaged(&memory, threads * sizeof(int)), "cudaMallocManaged");
  right<<<2, threads>>>(memory);
  require(cudaDeviceSynchronize(), "a right launch");
  bool all = true;
  for (unsigned i = 0; i < threads; ++i) all = all && memory[i] == 2;
  require(cudaFree(memory), "cudaFree");
  return all;
}

}  // namespace

int main() {
  // Each failure prints its report; that is tested elsewhere.
  if (std::freopen("/dev/null", "w", stderr) == nullptr) return 1;
  for (int i = 0; i < 1000; ++i) {
    // Blocks get smaller and larger, so that fibers go without a thread for a while.
    const unsigned threads = 32u << (i % 4);
    bool ok = true;
    if (i % 3 == 0) {
      int* memory = nullptr;
      require(cudaMalloc(&memory, 256 * sizeof(int)), "cudaMalloc");
      ok = fails(i / 3 % kKinds, threads, memory);
      if (i / 3 % kKinds == kKinds - 1) require(cudaFree(memory), "cudaFree");
    } else {
      ok = is_right(threads);
    }
    if (!ok) {
      std::printf("launch %d has not done what it should\n", i);
      return 1;
    }
  }
  std::printf("1000 launches\n");
  return 0;
}
