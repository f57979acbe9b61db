// Experiment: what a promise not to overlap is worth. Each thread adds two packs; without
// __restrict__ its second loads wait for its first store.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "further/aliasing.cuh"

namespace {

constexpr int kExitWrong = 1;
constexpr int kExitUsage = 2;
constexpr int kExitNoDevice = 77;

#ifdef __CUCPU__
constexpr bool kOnGpu = false;  // nothing to learn from a CPU's time
constexpr unsigned kPacks = 1u << 12;
#else
constexpr bool kOnGpu = true;
constexpr unsigned kPacks = 1u << 26;  // 1 GiB per vector
#endif

constexpr unsigned kBlockSize = 256;
constexpr unsigned kPacksPerBlock = 2 * kBlockSize;
constexpr int kRepeats = 20;
static_assert(kPacks % kPacksPerBlock == 0, "aliasing.cuh tests only the second pack");

using Kernel = void (*)(const float4* a, const float4* b, float4* c, unsigned packs);

struct Variant {
  const char* name;
  Kernel kernel;
};
constexpr Variant kVariants[] = {{"may overlap", add_two_packs_kernel},
                                 {"__restrict__", add_two_packs_restrict_kernel}};

// a, b and c on the device, for as long as the program runs.
struct Vectors {
  float4 *a = nullptr, *b = nullptr, *c = nullptr;
};

// Every call of the runtime API can fail, and says so only by what it returns.
void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "error: %s: %s\n", call, cudaGetErrorString(error));
  std::exit(kExitWrong);
}

Vectors make_vectors() {
  Vectors vectors;
  const std::size_t bytes = kPacks * sizeof(float4);
  for (float4** vector : {&vectors.a, &vectors.b, &vectors.c}) {
    check(cudaMalloc(vector, bytes), "cudaMalloc");
  }
  std::vector<float> values(4 * std::size_t{kPacks});
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 8388593);
  check(cudaMemcpy(vectors.a, values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  std::reverse(values.begin(), values.end());
  check(cudaMemcpy(vectors.b, values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return vectors;
}

void launch(Kernel kernel, const Vectors& on) {
  kernel<<<kPacks / kPacksPerBlock, kBlockSize>>>(on.a, on.b, on.c, kPacks);
  check(cudaGetLastError(), "launch");
}

// The sums, after the kernel has run on vectors whose sums are unknown to it.
std::vector<float> sums_of(Kernel kernel, const Vectors& on) {
  const std::size_t bytes = kPacks * sizeof(float4);
  check(cudaMemset(on.c, 0xff, bytes), "cudaMemset");  // all NaN
  launch(kernel, on);
  std::vector<float> sums(4 * std::size_t{kPacks});
  check(cudaMemcpy(sums.data(), on.c, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return sums;
}

bool is_right(const std::vector<float>& sums) {
  const std::size_t n = sums.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (sums[i] != static_cast<float>(i % 8388593) + static_cast<float>((n - 1 - i) % 8388593)) {
      return false;
    }
  }
  return true;
}

// The median of some launches.
double gb_per_s(Kernel kernel, const Vectors& on) {
  cudaEvent_t start = nullptr, stop = nullptr;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");
  std::vector<float> times(kRepeats);
  for (float& time : times) {
    check(cudaEventRecord(start), "cudaEventRecord");
    launch(kernel, on);
    check(cudaEventRecord(stop), "cudaEventRecord");
    check(cudaEventSynchronize(stop), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&time, start, stop), "cudaEventElapsedTime");
  }
  check(cudaEventDestroy(start), "cudaEventDestroy");
  check(cudaEventDestroy(stop), "cudaEventDestroy");
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return 3.0 * kPacks * sizeof(float4) / (times[kRepeats / 2] * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc == 2 && std::strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    std::fprintf(stderr, "error: '%s': allowed is --json\n", argv[1]);
    return kExitUsage;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "error: there is no CUDA device\n");
    return kExitNoDevice;
  }
  const Vectors vectors = make_vectors();
  bool all_right = true;
  for (const auto& [name, kernel] : kVariants) {
    const bool right = is_right(sums_of(kernel, vectors));
    all_right &= right;
    const char* const status = right ? "pass" : "fail";
    std::printf(json ? "{\"experiment\":\"aliasing\",\"backend\":\"%s\",\"pointers\":\"%s\","
                     : "%-5s %-14s",
                kOnGpu ? "cuda" : "cpu", name);
    if (kOnGpu) {
      std::printf(json ? "\"gb_per_s\":%.1f," : "%9.1f GB/s", gb_per_s(kernel, vectors));
    }
    std::printf(json ? "\"status\":\"%s\"}\n" : "  %s\n", status);
  }
  return all_right ? 0 : kExitWrong;
}
