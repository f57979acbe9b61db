// Launches run beside the host and beside other streams: kernels that spin until somebody else has
// done something.
#include <atomic>
#include <chrono>
#include <thread>

#include "check.h"

// Ends when *flag is 1, with what was in *data then.
__global__ void wait_for_flag(volatile int* flag, const int* data, int* out) {
  while (*flag != 1) {
  }
  __threadfence_system();
  *out = *data;
}

__global__ void tell_progress(volatile int* progress, volatile int* go) {
  *progress = 1;
  while (*go != 1) {
  }
  *progress = 2;
}

int* mapped_ints(int count) {
  int* memory = nullptr;
  CUDA_CHECK(cudaHostAlloc(&memory, count * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < count; ++i) memory[i] = 0;
  return memory;
}

int* device_ints(int count) {
  int* memory = nullptr;
  CUDA_CHECK(cudaMalloc(&memory, count * sizeof(int)));
  CUDA_CHECK(cudaMemset(memory, 0, count * sizeof(int)));
  CUDA_CHECK(cudaDeviceSynchronize());
  return memory;
}

cudaStream_t new_stream() {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

// The launch returns at once; the host sets the flag afterwards: *out becomes 42.
void host_sets_a_flag() {
  int* shared = mapped_ints(3);
  volatile int* flag = shared;
  wait_for_flag<<<1, 1>>>(flag, shared + 1, shared + 2);
  CUDA_CHECK(cudaGetLastError());
  EXPECT(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  EXPECT(cudaGetLastError() == cudaErrorNotReady);
  shared[1] = 42;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  *flag = 1;
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(shared[2] == 42);
  CUDA_CHECK(cudaFreeHost(shared));
}

// The host reads what a kernel writes while it runs: 1 before it lets the kernel go on, then 2.
void host_reads_progress() {
  int* shared = mapped_ints(2);
  volatile int* progress = shared;
  tell_progress<<<1, 1>>>(shared, shared + 1);
  while (*progress != 1) std::this_thread::yield();
  *const_cast<volatile int*>(shared + 1) = 1;
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(*progress == 2);
  CUDA_CHECK(cudaFreeHost(shared));
}

// The flag is set by a fill or a copy in another stream: bytes of 1 make 0x01010101, so the flag is
// copied, and the fill makes the data.
void another_stream_copies() {
  cudaStream_t spins = new_stream();
  cudaStream_t copies = new_stream();
  int* memory = device_ints(3);
  int* one = mapped_ints(1);
  *one = 1;
  wait_for_flag<<<1, 1, 0, spins>>>(memory, memory + 1, memory + 2);
  CUDA_CHECK(cudaMemsetAsync(memory + 1, 1, sizeof(int), copies));
  CUDA_CHECK(cudaMemcpyAsync(memory, one, sizeof(int), cudaMemcpyHostToDevice, copies));
  CUDA_CHECK(cudaStreamSynchronize(copies));
  CUDA_CHECK(cudaStreamSynchronize(spins));
  int out = 0;
  CUDA_CHECK(cudaMemcpy(&out, memory + 2, sizeof out, cudaMemcpyDeviceToHost));
  EXPECT(out == 0x01010101);
  CUDA_CHECK(cudaFree(memory));
  CUDA_CHECK(cudaFreeHost(one));
  CUDA_CHECK(cudaStreamDestroy(spins));
  CUDA_CHECK(cudaStreamDestroy(copies));
}

int main() {
  host_sets_a_flag();
  host_reads_progress();
  another_stream_copies();
  return 0;
}
