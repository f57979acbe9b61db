// Launches of several streams that are under way at once, and wait for each other or for the host.
#include "check.h"

// Ends once *flag is not 0.
__global__ void wait_for_flag(volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  *out = *flag + 1;
}

__global__ void raise_flag(volatile int* flag) { *flag = 20; }

__global__ void count_up(int* counter) { atomicAdd(counter, 1); }

int* mapped_ints(int count) {
  int* memory = nullptr;
  CUDA_CHECK(cudaHostAlloc(&memory, count * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < count; ++i) memory[i] = 0;
  return memory;
}

cudaStream_t new_stream() {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

// One spins until the other, launched after it into another stream, has run.
void one_lets_the_other_go() {
  int* shared = mapped_ints(2);
  cudaStream_t first = new_stream();
  cudaStream_t second = new_stream();
  wait_for_flag<<<1, 1, 0, first>>>(shared, shared + 1);
  raise_flag<<<1, 1, 0, second>>>(shared);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(shared[1] == 21);
  CUDA_CHECK(cudaFreeHost(shared));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
}

// Twelve kernels spin, each in a stream of its own, until the host sets the flag; what else there is
// to do goes on meanwhile. The counter is 5 by then.
void many_spin() {
  constexpr int kSpinning = 12;
  int* shared = mapped_ints(1 + kSpinning);
  int* counter = mapped_ints(1);
  cudaStream_t streams[kSpinning];
  for (int i = 0; i < kSpinning; ++i) {
    streams[i] = new_stream();
    wait_for_flag<<<1, 1, 0, streams[i]>>>(shared, shared + 1 + i);
  }
  cudaStream_t other = new_stream();
  for (int i = 0; i < 5; ++i) count_up<<<1, 1, 0, other>>>(counter);
  CUDA_CHECK(cudaStreamSynchronize(other));
  for (cudaStream_t stream : streams) EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
  EXPECT(cudaGetLastError() == cudaErrorNotReady);
  EXPECT(*counter == 5);
  *const_cast<volatile int*>(shared) = 6;
  for (int i = 0; i < kSpinning; ++i) {
    CUDA_CHECK(cudaStreamSynchronize(streams[i]));
    EXPECT(shared[1 + i] == 7);
    CUDA_CHECK(cudaStreamDestroy(streams[i]));
  }
  CUDA_CHECK(cudaStreamDestroy(other));
  CUDA_CHECK(cudaFreeHost(shared));
  CUDA_CHECK(cudaFreeHost(counter));
}

int main() {
  one_lets_the_other_go();
  many_spin();
  return 0;
}
