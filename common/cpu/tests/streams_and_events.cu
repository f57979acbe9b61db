// Streams and events.
#include <atomic>
#include <chrono>
#include <thread>

#include "support.h"

namespace {

__global__ void append(int* log, int* length, int value) { log[(*length)++] = value; }

__global__ void trap() { __trap(); }

// Keeps a stream busy until it lets go.
class Held {
 public:
  explicit Held(cudaStream_t stream = nullptr) : own_(stream == nullptr), stream_(stream) {
    if (own_) REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking) == cudaSuccess);
    const cudaHostFn_t wait = [](void* p) {
      while (!*static_cast<std::atomic<bool>*>(p)) std::this_thread::yield();
    };
    REQUIRE(cudaLaunchHostFunc(stream_, wait, &let_go_) == cudaSuccess);
  }
  Held(const Held&) = delete;
  ~Held() {
    let_go();
    cudaDeviceSynchronize();
    if (own_) cudaStreamDestroy(stream_);
    cudaStreamDestroy(other_);
  }
  void let_go() const { let_go_ = true; }
  cudaStream_t stream() const { return stream_; }
  cudaStream_t other() const { return other_; }  // with nothing to do

 private:
  bool own_;
  cudaStream_t stream_;
  cudaStream_t other_ = nullptr;
  mutable std::atomic<bool> let_go_ = false;
};

}  // namespace

TEST_CASE("work on a stream happens in the order it is given, and waits for events of others") {
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
  append<<<1, 1, 0, cudaStreamLegacy>>>(log.get(), length.get(), 40);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(log.read() == std::vector<int>{10, 20, 30, 40});
  CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("the host goes on while a stream works, and asks how far it is") {
  const Held held;
  cudaEvent_t before = nullptr;
  cudaEvent_t after = nullptr;
  REQUIRE(cudaEventCreate(&before) == cudaSuccess);
  REQUIRE(cudaEventCreate(&after) == cudaSuccess);
  CHECK(cudaEventRecord(before, held.other()) == cudaSuccess);
  CHECK(cudaEventRecord(after, held.stream()) == cudaSuccess);
  CHECK(cudaStreamQuery(held.stream()) == cudaErrorNotReady);
  CHECK(cudaStreamQuery(held.other()) == cudaSuccess);
  CHECK(cudaEventQuery(before) == cudaSuccess);
  CHECK(cudaEventQuery(after) == cudaErrorNotReady);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, before, after) == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaErrorNotReady);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  held.let_go();
  CHECK(cudaEventSynchronize(after) == cudaSuccess);
  CHECK(cudaEventQuery(after) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, before, after) == cudaSuccess);
  CHECK(milliseconds >= 20);
  CHECK(cudaStreamQuery(held.stream()) == cudaSuccess);
  CHECK(cudaEventDestroy(before) == cudaSuccess);
  CHECK(cudaEventDestroy(after) == cudaSuccess);
}

TEST_CASE("what is given to a stream later is done later: copies, fills, frees, and the host's own") {
  int* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 4 * sizeof(int)) == cudaSuccess);
  for (int i = 0; i < 4; ++i) pinned[i] = -1;
  const test::DeviceArray<int> memory(2, 5);
  int* pooled = nullptr;
  REQUIRE(cudaMallocAsync(&pooled, sizeof(int), nullptr) == cudaSuccess);
  int source = 7;
  {
    const Held held;
    const cudaStream_t stream = held.stream();
    // A source in pageable memory is read at once, one in pinned memory when its turn comes.
    CHECK(cudaMemcpyAsync(memory.get(), &source, sizeof(int), cudaMemcpyHostToDevice, stream) ==
          cudaSuccess);
    source = 8;
    CHECK(cudaMemcpyAsync(memory.get() + 1, pinned, sizeof(int), cudaMemcpyHostToDevice, stream) ==
          cudaSuccess);
    pinned[0] = 9;
    CHECK(cudaMemcpyAsync(pinned + 1, memory.get(), 2 * sizeof(int), cudaMemcpyDeviceToHost,
                          stream) == cudaSuccess);
    CHECK(cudaLaunchHostFunc(
              stream, [](void* p) { static_cast<int*>(p)[3] = cudaDeviceSynchronize(); },
              pinned) == cudaSuccess);
    CHECK(cudaMemsetAsync(memory.get(), 0, sizeof(int), stream) == cudaSuccess);
    CHECK(cudaFreeAsync(pooled, stream) == cudaSuccess);
    CHECK(pinned[1] == -1);
    CHECK(pinned[3] == -1);
    held.let_go();
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  }
  CHECK(pinned[1] == 7);
  CHECK(pinned[2] == 9);
  // Such a function may not call the runtime.
  CHECK(pinned[3] == cudaErrorNotPermitted);
  CHECK(memory.read() == std::vector<int>{0, 9});
  CHECK(cudaFree(pooled) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

// Traced launches run one at a time, in the order of the calls: there, a launch that is held holds
// those of other streams.
TEST_CASE("the legacy default stream waits for blocking streams, and they for it" *
          doctest::skip(cucpu::kTraced)) {
  const test::DeviceArray<int> log(3, 0);
  const test::DeviceArray<int> length(1, 0);
  cudaStream_t blocking = nullptr;
  cudaStream_t free_running = nullptr;
  REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking) == cudaSuccess);
  {
    const Held held(blocking);
    append<<<1, 1>>>(log.get(), length.get(), 2);
    append<<<1, 1, 0, cudaStreamPerThread>>>(log.get(), length.get(), 3);
    append<<<1, 1, 0, free_running>>>(log.get(), length.get(), 1);
    CHECK(cudaStreamSynchronize(free_running) == cudaSuccess);
    CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
    CHECK(cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady);
    CHECK(cudaGetLastError() == cudaErrorNotReady);
    // A stream that is destroyed goes on with what it has.
    CHECK(cudaStreamDestroy(blocking) == cudaSuccess);
    held.let_go();
  }
  CHECK(log.read() == std::vector<int>{1, 2, 3});
  CHECK(cudaStreamDestroy(free_running) == cudaSuccess);
}

TEST_CASE("after a fault a stream does nothing more, and waiting for it says so") {
  const test::ResetAfterwards reset;
  test::Captured errors(stderr);
  int called = 0;
  cudaError_t told = cudaSuccess;
  trap<<<1, 1>>>();
  cudaLaunchHostFunc(nullptr, [](void* p) { *static_cast<int*>(p) = 1; }, &called);
  cudaStreamAddCallback(
      nullptr, [](cudaStream_t, cudaError_t e, void* p) { *static_cast<cudaError_t*>(p) = e; },
      &told, 0);
  CHECK(cudaStreamSynchronize(nullptr) == cudaErrorLaunchFailure);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  cudaDeviceReset();
  CHECK(called == 0);
  // It may have been too late to ask for the second.
  CHECK((told == cudaSuccess || told == cudaErrorLaunchFailure));
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

TEST_CASE("a stream keeps its attributes") {
  cudaStream_t stream = nullptr;
  cudaStream_t other = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  int memory = 0;
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow = {&memory, sizeof(memory), 0.5f, cudaAccessPropertyPersisting,
                              cudaAccessPropertyStreaming};
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value) ==
        cudaSuccess);
  CHECK(cudaStreamCopyAttributes(other, stream) == cudaSuccess);
  cudaStreamAttrValue got = {};
  CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &got) == cudaSuccess);
  CHECK(got.accessPolicyWindow.base_ptr == &memory);
  CHECK(got.accessPolicyWindow.hitRatio == 0.5f);
  value.accessPolicyWindow.hitRatio = 1.5f;
  CHECK(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &value) ==
        cudaErrorInvalidValue);
  CHECK(cudaCtxResetPersistingL2Cache() == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamDestroy(other) == cudaSuccess);
  cudaGetLastError();
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
