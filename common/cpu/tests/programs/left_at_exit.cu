// A program that ends without waiting: what it has asked for is done all the same, and the last of
// it says so.
#include "check.h"

__global__ void count_up(int* counter) { atomicAdd(counter, 1); }

__global__ void after_a_barrier(int* counter) {
  __syncthreads();
  atomicAdd(counter, 1);
}

constexpr int kLaunches = 200;
constexpr int kExpected = 1 + kLaunches * (64 * 32 + 8 * 256);

int main() {
  static int* counter = nullptr;
  CUDA_CHECK(cudaMallocHost(&counter, sizeof(int)));
  *counter = 0;
  // The main thread has been a worker, whose stacks are gone once it exits.
  after_a_barrier<<<1, 1>>>(counter);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < kLaunches; ++i) {
    count_up<<<64, 32>>>(counter);
    after_a_barrier<<<8, 256>>>(counter);
  }
  cudaHostFn_t end = [](void*) {
    const bool right = *counter == kExpected;
    printf("%s\n", right ? "all done" : "not all");
    fflush(stdout);
  };
  CUDA_CHECK(cudaLaunchHostFunc(nullptr, end, nullptr));
  return 0;
}
