// Faults in kernels: what is reported, which error is left behind, and that it can be cleared.
#undef NDEBUG
#include <assert.h>

#include "support.h"

namespace {

constexpr unsigned kFull = 0xffffffffu;

constexpr int kPartAtBarrierLine = __LINE__ + 3;
__global__ void part_at_barrier() {
  if (threadIdx.x < 56) {
    __syncthreads();
  } else {
    __shfl_sync(0xffff0000u, 1, 31);
  }
}

__global__ void waits_for_ever() {
  if (threadIdx.x % 32 == 5) {
    __syncthreads();
  } else {
    __syncwarp(kFull);
  }
}

constexpr int kTwoBarriersLine = __LINE__ + 3;
__global__ void two_barriers() {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

// Each half waits for a lane of the other, which never comes.
__global__ void overlapping_masks() {
  if (threadIdx.x < 16) {
    __syncwarp(0x0001ffffu);
  } else {
    __syncwarp(0xffff8000u);
  }
}

// The same mask, and no meeting: a vote is no shuffle.
__global__ void two_kinds() {
  if (threadIdx.x < 16) {
    __ballot_sync(kFull, 1);
  } else {
    __shfl_sync(kFull, 1, 0);
  }
}

__global__ void outside_its_mask() { __shfl_sync(0x0000ffffu, 1, 0); }

__global__ void assertion(int limit) {
  const int i = static_cast<int>(threadIdx.x);
  assert(i < limit && "too many");
}

__global__ void trap() {
  if (blockIdx.x == 3 && threadIdx.y == 2) __trap();
}

__global__ void null_access(int* nowhere) { *nowhere = 1; }

__global__ void add_misaligned(float4* x) {
  const float4 v = x[1];
  x[0] = make_float4(v.x + 1, v.y + 2, v.z + 3, v.w + 4);
}

__global__ void follow(int** pointer) { **pointer = 1; }

__global__ void divide(int* x) { x[0] = x[1] / x[2]; }

__device__ int deep(int n) {
  volatile char frame[4096];
  frame[n] = static_cast<char>(n);
  return n <= 0 ? frame[n] : deep(n - 1) + frame[n];
}
__global__ void recurse(int* out, int depth) { *out = deep(depth); }

// Every block waits for a block that comes after all of them.
__global__ void wait_for_last_block(volatile int* flag) {
  if (blockIdx.x == gridDim.x - 1) {
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
  }
}

// These four kernels run a block as plain loops over its threads (lower/whole_blocks.h).
__global__ void stray(int* out, std::ptrdiff_t bad) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x + bad] = s[31 - threadIdx.x];
}

// One thread fails, in a kernel with barriers and in one without.
__global__ void one_strays(int* out, unsigned thread, std::ptrdiff_t bad) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x == thread ? bad : threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void one_strays_at_once(int* out, unsigned thread, std::ptrdiff_t bad) {
  if (threadIdx.x > 60) return;
  out[threadIdx.x == thread ? bad : threadIdx.x] = blockIdx.x;
}

// The index of an element that no process has. Some gigabytes behind an array, where the kernels
// would stray otherwise, other memory of this program may lie.
std::ptrdiff_t to_page_zero(const int* array) {
  return (std::intptr_t{0x100} - reinterpret_cast<std::intptr_t>(array)) /
         std::intptr_t{sizeof(int)};
}

// Frees what is no memory of the heap's, or no longer.
__global__ void frees_twice() {
  int* const memory = static_cast<int*>(malloc(4));
  free(memory);
  free(memory);
}
__global__ void deletes_twice() {
  int* const memory = new int[4];
  delete[] memory;
  delete[] memory;
}
__global__ void frees_inside(char** memory) {
  *memory = static_cast<char*>(malloc(64));
  free(*memory + 16);
}
__global__ void frees(int* memory) { free(memory); }

// The block does not fail when it runs again.
__global__ void strays_once(int** places) {
  if (threadIdx.x > 0) return;
  int* const place = places[0];
  places[0] = places[1];
  *place = 1;
}

__global__ void write_seven(int* out) { *out = 7; }

__global__ void sign(int* out) {
  if (threadIdx.x < 32) out[threadIdx.x] = 1;
}

// The device works again after a reset.
void check_alive() {
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  const test::DeviceArray<int> out(1, 0);
  write_seven<<<1, 1>>>(out.get());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.read()[0] == 7);
}

}  // namespace

TEST_CASE("a deadlock is reported lane by lane") {
  test::Captured errors(stderr);
  part_at_barrier<<<1, 64>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  test::check_contains(
      errors.text(),
      {"Deadlock", "warp 0, lanes 0-31: __syncthreads", "warp 1, lanes 0-23: __syncthreads",
       "warp 1, lanes 24-31: __shfl_sync with mask 0xffff0000", "lanes 16-23",
       "faults.cu:" + std::to_string(kPartAtBarrierLine)});
  check_alive();
}

TEST_CASE("a deadlock inside a warp names the lane that is missing") {
  test::Captured errors(stderr);
  waits_for_ever<<<2, 64>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  test::check_contains(errors.text(),
                       {"Deadlock", "lane 5: __syncthreads", "lanes 0-4,6-31: __syncwarp",
                        "mask 0xffffffff waits for lane 5"});
  check_alive();
}

TEST_CASE("a barrier reached from two lines") {
  test::Captured errors(stderr);
  two_barriers<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  test::check_contains(errors.text(), {"Divergent thread(s) in block", "two_barriers",
                                       "faults.cu:" + std::to_string(kTwoBarriersLine),
                                       "faults.cu:" + std::to_string(kTwoBarriersLine + 2)});
  check_alive();
}

TEST_CASE("masks that overlap so that neither can be complete") {
  test::Captured errors(stderr);
  overlapping_masks<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  test::check_contains(errors.text(),
                       {"Deadlock", "lanes 0-15: __syncwarp with mask 0x0001ffff waits for lane 16",
                        "lanes 16-31: __syncwarp with mask 0xffff8000 waits for lane 15"});
  check_alive();
}

TEST_CASE("one mask and two kinds of calls") {
  test::Captured errors(stderr);
  two_kinds<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  test::check_contains(errors.text(), {"Deadlock", "lanes 0-15: __ballot_sync with mask 0xffffffff",
                                       "lanes 16-31: __shfl_sync with mask 0xffffffff"});
  check_alive();
}

TEST_CASE("a caller outside its own mask") {
  test::Captured errors(stderr);
  outside_its_mask<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  test::check_contains(errors.text(), {"__shfl_sync", "not in its own mask 0x0000ffff"});
  check_alive();
}

TEST_CASE("a failed assertion prints CUDA's message") {
  assertion<<<1, 8>>>(8);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  test::Captured errors(stderr);
  assertion<<<dim3(1, 1), dim3(9)>>>(8);
  CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
  const std::string text = errors.text();
  test::check_contains(text, {"faults.cu:", "assertion(int)", "block: [0,0,0], thread: [8,0,0]",
                              "Assertion `i < limit && \"too many\"` failed."});
  check_alive();
}

TEST_CASE("__trap names the thread") {
  test::Captured errors(stderr);
  trap<<<4, dim3(1, 3)>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  test::check_contains(errors.text(), {"__trap", "thread (0,2,0)", "block (3,0,0)", "faults.cu:"});
  check_alive();
}

TEST_CASE("memory of the heap is freed once, by its address") {
  const auto fails = [](auto launch, const char* message) {
    test::Captured errors(stderr);
    launch();
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    test::check_contains(errors.text(), {message, "thread (0,0,0)", "faults.cu:"});
    check_alive();
  };
  fails([] { frees_twice<<<1, 1>>>(); }, "is freed for a second time");
  fails([] { deletes_twice<<<1, 1>>>(); }, "is freed for a second time");
  const char* const no_such_memory = "malloc and new in kernels have not returned";
  static char* never_freed;  // still known to LeakSanitizer
  REQUIRE(cudaHostRegister(&never_freed, sizeof never_freed, cudaHostRegisterDefault) ==
          cudaSuccess);
  fails([] { frees_inside<<<1, 1>>>(&never_freed); }, no_such_memory);
  int* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 4) == cudaSuccess);
  fails([=] { frees<<<1, 1>>>(memory); }, no_such_memory);
}

TEST_CASE("an access that the host cannot do") {
  test::Captured errors(stderr);
  null_access<<<2, 32>>>(nullptr);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  test::check_contains(errors.text(), {"null_access", "Invalid access"});
  check_alive();
}

#if defined(__x86_64__)
TEST_CASE("a misaligned vector") {
  float* x = nullptr;
  REQUIRE(cudaMalloc(&x, 12 * sizeof(float)) == cudaSuccess);
  test::Captured errors(stderr);
  add_misaligned<<<1, 1>>>(reinterpret_cast<float4*>(x + 1));
  CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
  test::check_contains(errors.text(), {"add_misaligned", "Misaligned access"});
  check_alive();
}

__device__ float variable[12];

__global__ void add_to_variable(int offset) {
  float4* const x = reinterpret_cast<float4*>(variable + offset);
  const float4 v = x[1];
  x[0] = make_float4(v.x + 1, v.y + 2, v.z + 3, v.w + 4);
}

TEST_CASE("a misaligned vector in a variable of the device") {
  void* address = nullptr;
  REQUIRE(cudaGetSymbolAddress(&address, variable) == cudaSuccess);
  const auto aligned = static_cast<int>(-(reinterpret_cast<std::uintptr_t>(address) / 4) % 4);
  add_to_variable<<<1, 1>>>(aligned);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  test::Captured errors(stderr);
  add_to_variable<<<1, 1>>>(aligned + 1);
  CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
  test::check_contains(errors.text(), {"add_to_variable", "Misaligned access"});
  check_alive();
}

TEST_CASE("an address that none can be is not a misaligned one") {
  int** pointer = nullptr;
  REQUIRE(cudaMalloc(&pointer, sizeof *pointer) == cudaSuccess);
  REQUIRE(cudaMemset(pointer, 0x7f, sizeof *pointer) == cudaSuccess);
  test::Captured errors(stderr);
  follow<<<1, 1>>>(pointer);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  test::check_contains(errors.text(),
                       {"follow", "Invalid access of an address that no memory has"});
  check_alive();
}

TEST_CASE("an integer divided by zero") {
  int* x = nullptr;
  REQUIRE(cudaMalloc(&x, 3 * sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemset(x, 0, 3 * sizeof(int)) == cudaSuccess);
  test::Captured errors(stderr);
  divide<<<1, 1>>>(x);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  test::check_contains(errors.text(), {"divide", "Integer division by zero", "A GPU goes on"});
  check_alive();
}
#endif

TEST_CASE("a stack that overflows, and one that has been made large enough") {
  const int depth = 40;  // of 4 KiB and more each
  {
    const test::DeviceArray<int> out(1, 0);
    test::Captured errors(stderr);
    recurse<<<1, 1>>>(out.get(), depth);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    test::check_contains(errors.text(), {"Stack overflow", "cudaLimitStackSize"});
  }
  check_alive();
  REQUIRE(cudaDeviceSetLimit(cudaLimitStackSize, 512 * 1024) == cudaSuccess);
  const test::DeviceArray<int> out(1, -1);
  recurse<<<1, 1>>>(out.get(), depth);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.read()[0] == depth * (depth + 1) / 2);
  CHECK(cudaDeviceReset() == cudaSuccess);
}

TEST_CASE("a fault is sticky until the device is reset") {
  int* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 4) == cudaSuccess);
  {
    const test::Captured errors(stderr);
    trap<<<4, dim3(1, 3)>>>();
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  }
  for (int repeat = 0; repeat < 2; ++repeat) {
    CHECK(cudaPeekAtLastError() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(cudaFree(memory) == cudaErrorLaunchFailure);
    void* more = nullptr;
    CHECK(cudaMalloc(&more, 4) == cudaErrorLaunchFailure);
    int count = 0;
    CHECK(cudaMemcpy(&count, memory, 4, cudaMemcpyDeviceToHost) == cudaErrorLaunchFailure);
  }
  // Nothing is launched any more.
  write_seven<<<1, 1>>>(nullptr);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  check_alive();
  // The reset has freed what there was.
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("an error of a call stays until it is asked for, and stops nothing") {
  CHECK(cudaFree(reinterpret_cast<void*>(16)) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("errors have CUDA's names") {
  CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
  CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
  CHECK(std::string(cudaGetErrorName(cudaErrorMemoryAllocation)) == "cudaErrorMemoryAllocation");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)) ==
        "invalid configuration argument");
  CHECK(std::string(cudaGetErrorName(static_cast<cudaError_t>(12345))) ==
        "unrecognized error code");
}

TEST_CASE("whole blocks: a launch after one that failed") {
  {
    test::DeviceArray<int> out(32, 0);
    test::Captured printed(stderr);
    stray<<<1, 32>>>(out.get(), to_page_zero(out.get()));
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    test::check_contains(printed.text(), {"at stray", "in block (0,0,0)"});
  }
  check_alive();
  test::DeviceArray<int> out(32, 0);
  stray<<<1, 32>>>(out.get(), 0);
  const std::vector<int> got = out.read();
  for (int i = 0; i < 32; ++i) CHECK(got[i] == 31 - i);
}

TEST_CASE("whole blocks: a fault names the thread") {
  for (const auto kernel : {one_strays, one_strays_at_once}) {
    const test::ResetAfterwards reset;
    test::DeviceArray<int> out(64, 0);
    test::Captured printed(stderr);
    kernel<<<1, 64>>>(out.get(), 37, to_page_zero(out.get()));
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    test::check_contains(printed.text(), {"by thread (37,0,0) in block (0,0,0)"});
  }
}

TEST_CASE("whole blocks: a fault of the block that does not come again") {
  const test::ResetAfterwards reset;
  test::DeviceArray<int> target(1, 0);
  test::DeviceArray<int*> places(std::vector<int*>{nullptr, target.get()});
  test::Captured printed(stderr);
  strays_once<<<1, 64>>>(places.get());
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  test::check_contains(printed.text(), {"at strays_once", "in block (0,0,0)"});
}

// In other orders than the ascending one, threads that had not run yet were left to the next
// launch.
TEST_CASE("a smaller block after one that failed at once") {
  {
    test::Captured printed(stderr);
    null_access<<<1, 1024>>>(nullptr);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaDeviceReset() == cudaSuccess);
  }
  test::DeviceArray<int> out(32, 0);
  sign<<<1, 32>>>(out.get());
  CHECK(out.read() == std::vector<int>(32, 1));
}

// CUCPU_TIMEOUT has to be short for this one; meson.build sets it.
TEST_CASE("blocks that wait for a block that cannot run" *
          doctest::skip(std::getenv("CUCPU_TIMEOUT") == nullptr)) {
  int* flag = nullptr;
  REQUIRE(cudaMalloc(&flag, sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemset(flag, 0, sizeof(int)) == cudaSuccess);
  test::Captured errors(stderr);
  wait_for_last_block<<<100'000, 1>>>(flag);  // more than any number of workers
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  test::check_contains(errors.text(), {"CUCPU_TIMEOUT", "wait_for_last_block",
                                       "warp 0, lane 0: runs, in a loop that waits"});
  check_alive();
}
