// Streams and events.
#include <chrono>
#include <thread>

#include "support.h"

namespace {

__global__ void append(int* log, int* length, int value) { log[(*length)++] = value; }

}  // namespace

TEST_CASE("work on streams happens in the order it is given") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  const test::DeviceArray<int> log(4, 0);
  const test::DeviceArray<int> length(1, 0);
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
  append<<<1, 1, 0, stream>>>(log.get(), length.get(), 10);
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(nullptr, event, 0) == cudaSuccess);
  append<<<1, 1>>>(log.get(), length.get(), 20);
  append<<<1, 1, 0, cudaStreamPerThread>>>(log.get(), length.get(), 30);
  int seen = 0;
  struct Seen {
    const test::DeviceArray<int>* length;
    int* seen;
  } data{&length, &seen};
  const cudaHostFn_t look = [](void* p) {
    const Seen& s = *static_cast<Seen*>(p);
    *s.seen = s.length->read()[0];
  };
  CHECK(cudaLaunchHostFunc(stream, look, &data) == cudaSuccess);
  append<<<1, 1, 0, cudaStreamLegacy>>>(log.get(), length.get(), 40);
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(seen == 3);
  CHECK(log.read() == std::vector<int>{10, 20, 30, 40});
  CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("streams have flags and priorities") {
  int least = 1;
  int greatest = 1;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess);
  CHECK(greatest <= least);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 100) ==
          cudaSuccess);
  int priority = 1;
  unsigned flags = 99;
  CHECK(cudaStreamGetPriority(stream, &priority) == cudaSuccess);
  CHECK(priority == greatest);
  CHECK(cudaStreamGetFlags(stream, &flags) == cudaSuccess);
  CHECK(flags == cudaStreamNonBlocking);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamCreateWithFlags(&stream, 0x80) == cudaErrorInvalidValue);
  CHECK(cudaStreamCreate(nullptr) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("streams that are gone") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamQuery(stream) == cudaErrorInvalidResourceHandle);
  const test::DeviceArray<int> memory(1, 0);
  CHECK(cudaMemsetAsync(memory.get(), 0, 4, stream) == cudaErrorInvalidResourceHandle);
  void* more = nullptr;
  CHECK(cudaMallocAsync(&more, 4, stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

TEST_CASE("events measure the time between them") {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreate(&stop) == cudaSuccess);
  CHECK(cudaEventRecord(start) == cudaSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(cudaEventRecord(stop) == cudaSuccess);
  CHECK(cudaEventQuery(stop) == cudaSuccess);
  CHECK(cudaEventSynchronize(stop) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess);
  CHECK(milliseconds >= 20);
  CHECK(milliseconds < 5000);
  CHECK(cudaEventElapsedTime(&milliseconds, stop, start) == cudaSuccess);
  CHECK(milliseconds <= -20);
  CHECK(cudaEventElapsedTime(&milliseconds, stop, stop) == cudaSuccess);
  CHECK(milliseconds == 0);
  CHECK(cudaEventDestroy(start) == cudaSuccess);
  CHECK(cudaEventDestroy(stop) == cudaSuccess);
}

TEST_CASE("events that have no time") {
  cudaEvent_t never = nullptr;
  cudaEvent_t untimed = nullptr;
  cudaEvent_t timed = nullptr;
  REQUIRE(cudaEventCreate(&never) == cudaSuccess);
  REQUIRE(cudaEventCreate(&timed) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  REQUIRE(cudaEventRecord(timed) == cudaSuccess);
  REQUIRE(cudaEventRecord(untimed) == cudaSuccess);
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, never, timed) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventElapsedTime(&ms, timed, never) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventElapsedTime(&ms, timed, untimed) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventElapsedTime(&ms, timed, nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventElapsedTime(nullptr, timed, timed) == cudaErrorInvalidValue);
  // One that was never recorded has nothing to wait for.
  CHECK(cudaEventQuery(never) == cudaSuccess);
  CHECK(cudaEventSynchronize(never) == cudaSuccess);
  for (const cudaEvent_t event : {never, untimed, timed})
    CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaEventRecord(timed) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventCreateWithFlags(&timed, cudaEventInterprocess) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}
