// Allocation of all kinds, and what is known of a pointer.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>

#include "support.h"

namespace {

__global__ void double_all(int* data, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] *= 2;
}

cudaMemoryType type_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  CHECK(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
  return attributes.type;
}

__global__ void write_without_bounds_check(float4* out) {
  out[threadIdx.x] = make_float4(1, 2, 3, 4);
}

__global__ void fill_numbers(int* out, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = i;
}

}  // namespace

TEST_CASE("cudaMalloc gives aligned memory that holds NaN") {
  for (const std::size_t bytes : {1, 3, 256, 1000, 5'000'000}) {
    unsigned char* memory = nullptr;
    REQUIRE(cudaMalloc(&memory, bytes) == cudaSuccess);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
    std::vector<unsigned char> held(bytes);
    REQUIRE(cudaMemcpy(held.data(), memory, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(held == std::vector<unsigned char>(bytes, 0xff));
    CHECK(cudaFree(memory) == cudaSuccess);
  }
  float* x = nullptr;
  REQUIRE(cudaMalloc(&x, sizeof(float)) == cudaSuccess);
  float value = 0;
  CHECK(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::isnan(value));
  CHECK(cudaFree(x) == cudaSuccess);
}

// The kernel lacks `if (i < n)` and writes thousands of bytes too many.
TEST_CASE("a block's writes past the end of an allocation leave the host's memory alone") {
  float4* one = nullptr;
  REQUIRE(cudaMalloc(&one, sizeof(float4)) == cudaSuccess);
  const std::vector<std::string> of_host(64, std::string(1000, 'x'));
  write_without_bounds_check<<<1, 1024>>>(one);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  for (const std::string& text : of_host) CHECK(text == std::string(1000, 'x'));
  CHECK(cudaFree(one) == cudaSuccess);
}

// An illegal access is as right as no error: on a GPU, too, it depends on what lies there now.
TEST_CASE("writes to memory that was freed leave the runtime's and the host's alone") {
  for (const int size : {1, 32, 1000, 100'000, 3'000'000}) {
    CAPTURE(size);
    int* stale = nullptr;
    REQUIRE(cudaMalloc(&stale, size * sizeof(int)) == cudaSuccess);
    REQUIRE(cudaFree(stale) == cudaSuccess);
    const std::vector<std::string> of_host(64, std::string(1000, 'x'));
    fill_numbers<<<(size - 1) / 256 + 1, 256>>>(stale, size);
    const cudaError_t error = cudaDeviceSynchronize();
    CHECK((error == cudaSuccess || error == cudaErrorIllegalAddress));
    for (const std::string& text : of_host) CHECK(text == std::string(1000, 'x'));
    if (error != cudaSuccess) CHECK(cudaDeviceReset() == cudaSuccess);
    int* fresh = nullptr;
    REQUIRE(cudaMalloc(&fresh, size * sizeof(int)) == cudaSuccess);
    fill_numbers<<<(size - 1) / 256 + 1, 256>>>(fresh, size);
    int last = 0;
    CHECK(cudaMemcpy(&last, fresh + size - 1, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(last == size - 1);
    CHECK(cudaFree(fresh) == cudaSuccess);
  }
}

// As many bytes as there should be elements.
TEST_CASE("an allocation without its sizeof harms neither the runtime nor the host") {
  for (const int size : {40'000, 1'000'000}) {
    CAPTURE(size);
    int* quarter = nullptr;
    REQUIRE(cudaMalloc(&quarter, size) == cudaSuccess);
    const std::vector<std::string> of_host(64, std::string(1000, 'x'));
    fill_numbers<<<(size - 1) / 256 + 1, 256>>>(quarter, size);
    const cudaError_t error = cudaDeviceSynchronize();
    CHECK((error == cudaSuccess || error == cudaErrorIllegalAddress));
    for (const std::string& text : of_host) CHECK(text == std::string(1000, 'x'));
    if (error == cudaSuccess) CHECK(cudaFree(quarter) == cudaSuccess);
    if (error != cudaSuccess) CHECK(cudaDeviceReset() == cudaSuccess);
  }
}

TEST_CASE("allocation through pointers to const and volatile elements") {
  volatile int* counter = nullptr;
  const float* table = nullptr;
  CHECK(cudaHostAlloc(&counter, sizeof(int), cudaHostAllocMapped) == cudaSuccess);
  CHECK(cudaMalloc(&table, sizeof(float)) == cudaSuccess);
  *counter = 3;
  CHECK(*counter == 3);
  CHECK(cudaFree(const_cast<float*>(table)) == cudaSuccess);
  CHECK(cudaFreeHost(const_cast<int*>(counter)) == cudaSuccess);
}

TEST_CASE("allocating nothing, and into nothing") {
  void* memory = &memory;
  CHECK(cudaMalloc(&memory, 0) == cudaSuccess);
  CHECK(memory == nullptr);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFreeHost(nullptr) == cudaSuccess);
  CHECK(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("cudaFree takes only what cudaMalloc gave, and only once") {
  char* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 100) == cudaSuccess);
  int local = 0;
  for (void* wrong : {static_cast<void*>(memory + 1), static_cast<void*>(&local)})
    CHECK(cudaFree(wrong) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(memory) == cudaErrorInvalidValue);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 10) == cudaSuccess);
  CHECK(cudaFree(pinned) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("more memory than there is gives an error and takes nothing") {
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess);
  CHECK(free_bytes > 0);
  CHECK(free_bytes <= total);
  for (const std::size_t bytes : {total + 1, std::size_t{1} << 50, SIZE_MAX, SIZE_MAX - 300}) {
    void* memory = &memory;
    CHECK(cudaMalloc(&memory, bytes) == cudaErrorMemoryAllocation);
    CHECK(memory == nullptr);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaMallocAsync(&memory, bytes, nullptr) == cudaErrorMemoryAllocation);
    CHECK(cudaMallocHost(&memory, bytes) == cudaErrorMemoryAllocation);
    CHECK(cudaMallocManaged(&memory, bytes) == cudaErrorMemoryAllocation);
  }
  std::size_t pitch = 0;
  void* memory = nullptr;
  CHECK(cudaMallocPitch(&memory, &pitch, std::size_t{1} << 40, std::size_t{1} << 40) ==
        cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  // Not sticky.
  CHECK(cudaMalloc(&memory, 4) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("pointers are known for what they are") {
  char* device = nullptr;
  char* host = nullptr;
  char* managed = nullptr;
  std::vector<char> own(100);
  REQUIRE(cudaMalloc(&device, 100) == cudaSuccess);
  REQUIRE(cudaMallocHost(&host, 100) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 100) == cudaSuccess);
  CHECK(type_of(device + 99) == cudaMemoryTypeDevice);
  CHECK(type_of(device + 100) == cudaMemoryTypeUnregistered);
  CHECK(type_of(host + 50) == cudaMemoryTypeHost);
  CHECK(type_of(managed) == cudaMemoryTypeManaged);
  CHECK(type_of(own.data()) == cudaMemoryTypeUnregistered);
  CHECK(type_of(nullptr) == cudaMemoryTypeUnregistered);

  cudaPointerAttributes attributes{};
  REQUIRE(cudaPointerGetAttributes(&attributes, device + 3) == cudaSuccess);
  CHECK(attributes.device == 0);
  CHECK(attributes.devicePointer == device + 3);
  CHECK(attributes.hostPointer == nullptr);

  REQUIRE(cudaHostRegister(own.data(), own.size(), cudaHostRegisterDefault) == cudaSuccess);
  CHECK(type_of(own.data() + 20) == cudaMemoryTypeHost);
  CHECK(cudaHostRegister(own.data() + 50, 100, cudaHostRegisterDefault) ==
        cudaErrorHostMemoryAlreadyRegistered);
  char* on_device = nullptr;
  CHECK(cudaHostGetDevicePointer(&on_device, own.data(), 0) == cudaSuccess);
  CHECK(on_device == own.data());
  CHECK(cudaHostUnregister(own.data()) == cudaSuccess);
  CHECK(cudaHostUnregister(own.data()) == cudaErrorHostMemoryNotRegistered);
  CHECK(type_of(own.data()) == cudaMemoryTypeUnregistered);

  CHECK(cudaFree(device) == cudaSuccess);
  CHECK(cudaFreeHost(host) == cudaSuccess);
  CHECK(cudaFree(managed) == cudaSuccess);
  CHECK(type_of(device) == cudaMemoryTypeUnregistered);
  cudaGetLastError();
}

TEST_CASE("kernels use pinned and managed memory") {
  for (const bool is_managed : {false, true}) {
    int* data = nullptr;
    REQUIRE((is_managed
                 ? cudaMallocManaged(&data, 100 * sizeof(int))
                 : cudaHostAlloc(&data, 100 * sizeof(int), cudaHostAllocMapped)) == cudaSuccess);
    for (int i = 0; i < 100; ++i) data[i] = i;
    if (is_managed) {
      const std::size_t bytes = 100 * sizeof(int);
      const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
      const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
      const cudaMemLocation absent = {cudaMemLocationTypeDevice, 1};
      CHECK(cudaMemPrefetchAsync(data, bytes, 0) == cudaSuccess);
      CHECK(cudaMemPrefetchAsync(data, bytes, device, 0) == cudaSuccess);
      CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetReadMostly, 0) == cudaSuccess);
      CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetReadMostly, host) == cudaSuccess);
      CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetReadMostly, absent) ==
            cudaErrorInvalidDevice);
      cudaGetLastError();
    }
    double_all<<<4, 32>>>(data, 100);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 100; ++i) CHECK(data[i] == 2 * i);
    CHECK((is_managed ? cudaFree(data) : cudaFreeHost(data)) == cudaSuccess);
  }
}

TEST_CASE("the memory pool counts what is allocated on streams") {
  cudaMemPool_t pool = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
  const auto attribute = [pool](cudaMemPoolAttr which) {
    std::uint64_t value = 0;
    CHECK(cudaMemPoolGetAttribute(pool, which, &value) == cudaSuccess);
    return value;
  };
  const std::uint64_t before = attribute(cudaMemPoolAttrUsedMemCurrent);
  char* a = nullptr;
  char* b = nullptr;
  REQUIRE(cudaMallocAsync(&a, 1000, nullptr) == cudaSuccess);
  REQUIRE(cudaMallocAsync(&b, 500, nullptr) == cudaSuccess);
  CHECK(attribute(cudaMemPoolAttrUsedMemCurrent) == before + 1500);
  CHECK(cudaFreeAsync(a, nullptr) == cudaSuccess);
  CHECK(cudaFreeAsync(a, nullptr) == cudaErrorInvalidValue);
  // Memory allocated on a stream may be freed without one.
  CHECK(cudaFree(b) == cudaSuccess);
  CHECK(attribute(cudaMemPoolAttrUsedMemCurrent) == before);
  CHECK(attribute(cudaMemPoolAttrUsedMemHigh) >= before + 1500);

  std::uint64_t threshold = UINT64_MAX;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
  CHECK(attribute(cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);
  int no = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &no) == cudaSuccess);
  int reuse = 1;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse) == cudaSuccess);
  CHECK(reuse == 0);
  CHECK(cudaMemPoolTrimTo(pool, 0) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a pool of the program's own") {
  cudaMemPoolProps properties = {};
  cudaMemPool_t ours = nullptr;
  CHECK(cudaMemPoolCreate(&ours, &properties) == cudaErrorInvalidValue);
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.maxSize = 1000;
  REQUIRE(cudaMemPoolCreate(&ours, &properties) == cudaSuccess);
  cudaMemPool_t standard = nullptr;
  REQUIRE(cudaDeviceGetDefaultMemPool(&standard, 0) == cudaSuccess);
  CHECK(ours != standard);
  CHECK(cudaMemPoolDestroy(standard) == cudaErrorInvalidValue);

  REQUIRE(cudaDeviceSetMemPool(0, ours) == cudaSuccess);
  cudaMemPool_t current = nullptr;
  CHECK(cudaDeviceGetMemPool(&current, 0) == cudaSuccess);
  CHECK(current == ours);
  char* a = nullptr;
  char* b = nullptr;
  REQUIRE(cudaMallocAsync(&a, 600, nullptr) == cudaSuccess);
  CHECK(cudaMallocAsync(&b, 600, nullptr) == cudaErrorMemoryAllocation);
  REQUIRE(cudaMallocFromPoolAsync(&b, 600, standard, nullptr) == cudaSuccess);
  std::uint64_t used = 0;
  CHECK(cudaMemPoolGetAttribute(ours, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess);
  CHECK(used == 600);

  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  CHECK(cudaMemPoolSetAccess(ours, &access, 1) == cudaSuccess);
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  CHECK(cudaMemPoolGetAccess(&flags, ours, &access.location) == cudaSuccess);
  CHECK(flags == cudaMemAccessFlagsProtReadWrite);
  access.flags = cudaMemAccessFlagsProtNone;  // a device cannot be kept from its own memory
  CHECK(cudaMemPoolSetAccess(ours, &access, 1) == cudaErrorInvalidValue);
  access.location.id = 1;
  CHECK(cudaMemPoolSetAccess(ours, &access, 1) == cudaErrorInvalidDevice);
  CHECK(cudaMemPoolGetAccess(&flags, ours, &access.location) == cudaErrorInvalidDevice);

  // Memory that it has given stays; the pool itself is gone.
  CHECK(cudaMemPoolDestroy(ours) == cudaSuccess);
  CHECK(cudaMemset(a, 1, 600) == cudaSuccess);
  CHECK(cudaMemPoolTrimTo(ours, 0) == cudaErrorInvalidValue);
  CHECK(cudaDeviceGetMemPool(&current, 0) == cudaSuccess);
  CHECK(current == standard);
  CHECK(cudaFreeAsync(a, nullptr) == cudaSuccess);
  CHECK(cudaFreeAsync(b, nullptr) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("memory is allocated and freed by many host threads at once") {
  std::vector<std::thread> threads;
  std::vector<int> failures(4, 0);
  for (std::size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&failures, t] {
      for (int round = 0; round < 300; ++round) {
        int* memory = nullptr;
        const int written = static_cast<int>(t) * 1000 + round;
        int read = -1;
        failures[t] += cudaMalloc(&memory, 64) != cudaSuccess;
        failures[t] +=
            cudaMemcpy(memory, &written, sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess;
        double_all<<<1, 1>>>(memory, 1);
        failures[t] +=
            cudaMemcpy(&read, memory, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess;
        failures[t] += read != 2 * written;
        failures[t] += cudaFree(memory) != cudaSuccess;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == std::vector<int>(4, 0));
}
