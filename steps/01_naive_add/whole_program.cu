// The host side of a CUDA program, whole and in one place: what the harness does
// for every step, spelled out once with nothing but the CUDA runtime API.
//
//   nvcc whole_program.cu -o add && ./add 1000000
#include <cuda_runtime.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "1_add.cuh"

namespace {

constexpr int kExitWrong = 1;
constexpr int kExitUsage = 2;
constexpr int kExitNoDevice = 77;

// Every call of the runtime API can fail, and says so only by what it returns.
void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "error: %s: %s\n", call, cudaGetErrorString(error));
  std::exit(kExitWrong);
}

[[noreturn]] void usage_error(const char* value, const char* what) {
  std::fprintf(stderr, "error: N is '%s': %s\n", value, what);
  std::exit(kExitUsage);
}

// Elements of each vector. The limit keeps the size in bytes within 64 bits.
std::size_t parse_n(const char* text) {
  constexpr std::size_t kLimit = std::size_t{1} << 60;
  const bool digit = text[0] >= '0' && text[0] <= '9';  // strtoull takes "-1" and " 1"
  char* end = nullptr;
  errno = 0;
  const unsigned long long n = std::strtoull(text, &end, 10);
  if (!digit || *end != '\0') usage_error(text, "it must be a number of elements, 0 or more");
  if (errno == ERANGE || n > kLimit) usage_error(text, "it must be at most 2^60");
  return n;
}

// Device memory for n floats. The caller frees it.
float* allocate(std::size_t n, const char* n_text) {
  float* p = nullptr;
  const cudaError_t error = cudaMalloc(&p, n * sizeof(float));
  if (error == cudaErrorMemoryAllocation) {
    usage_error(n_text, "three vectors of N floats must fit in the device's memory");
  }
  check(error, "cudaMalloc");
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "error: %d arguments: one is allowed, the number of elements N\n",
                 argc - 1);
    return kExitUsage;
  }
  const char* n_text = argc == 2 ? argv[1] : "1000000";
  const std::size_t n = parse_n(n_text);
  const std::size_t bytes = n * sizeof(float);

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "error: there is no CUDA device\n");
    return kExitNoDevice;
  }

  // 1. Memory on the device. Its pointers mean nothing to the host, which can
  //    pass them round but not read through them.
  float* device_a = allocate(n, n_text);
  float* device_b = allocate(n, n_text);
  float* device_c = allocate(n, n_text);

  // 2. Inputs on the host. No two neighbors are equal, so that a kernel that
  //    takes the wrong element is found out.
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;
  try {
    a.resize(n);
    b.resize(n);
    c.resize(n);
  } catch (const std::bad_alloc&) {
    usage_error(n_text, "three vectors of N floats must fit in the host's memory");
  }
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1013) / 8;
    b[i] = static_cast<float>(i % 907) / 4;
  }

  // 3. Inputs to the device. The output starts as NaN (all bits one): an element
  //    that the kernel leaves out cannot pass for a right one.
  check(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy of a");
  check(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy of b");
  check(cudaMemset(device_c, 0xff, bytes), "cudaMemset of c");

  // 4. The launch. It returns at once, and returns nothing: a launch that could
  //    not start shows in cudaGetLastError, a kernel that failed on its way in
  //    the next call that waits for it.
  add(device_a, device_b, device_c, n, nullptr);
  check(cudaGetLastError(), "launch of add");
  check(cudaDeviceSynchronize(), "add");

  // 5. The result back to the host, and compared. One addition is rounded the
  //    same way everywhere, so it must be equal to the last bit.
  check(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy of c");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float expected = a[i] + b[i];
    if (c[i] == expected) continue;  // false for a NaN
    if (wrong == 0) std::printf("c[%zu] is %g, expected %g\n", i, c[i], expected);
    ++wrong;
  }
  std::printf("%zu elements: %s\n", n, wrong == 0 ? "PASS" : "FAIL");

  // 6. The time of one launch. Events are stamped by the device when it gets to
  //    them; the host's clock would time only the enqueueing. The launch above
  //    has warmed up.
  constexpr int kRepeats = 20;
  cudaEvent_t start;
  cudaEvent_t stop;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");
  check(cudaEventRecord(start), "cudaEventRecord");
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    add(device_a, device_b, device_c, n, nullptr);
  }
  check(cudaGetLastError(), "launch of add");
  check(cudaEventRecord(stop), "cudaEventRecord");
  check(cudaEventSynchronize(stop), "cudaEventSynchronize");
  float total_ms = 0;
  check(cudaEventElapsedTime(&total_ms, start, stop), "cudaEventElapsedTime");
  const double ms = total_ms / kRepeats;
  const double gigabytes = 3.0 * static_cast<double>(bytes) / 1e9;  // a and b read, c written
  std::printf("%.4f ms per launch, %.1f GB/s\n", ms, ms > 0 ? gigabytes / (ms / 1e3) : 0.0);

  // 7. Destroy what was created, free what was allocated.
  check(cudaEventDestroy(start), "cudaEventDestroy");
  check(cudaEventDestroy(stop), "cudaEventDestroy");
  check(cudaFree(device_a), "cudaFree");
  check(cudaFree(device_b), "cudaFree");
  check(cudaFree(device_c), "cudaFree");
  return wrong == 0 ? 0 : kExitWrong;
}
