// Experiment: what a stride costs in global memory. Two copies of n floats: one reads a float every
// `stride` and writes them side by side, the other does the reverse. Strides of 1 to 32.
//
//   sectors  32-byte sectors that one request of a warp touches on the strided side. Predicted: the
//            number of distinct sectors under the addresses of its 32 lanes.
//   used     the part of those sectors' bytes that the lanes asked for.
//   GB/s     on a GPU: useful bytes (one read and one write of 4 bytes per element) by the time.
//
// Every copy is compared with what it had to be, the gaps between the strided floats included.
#include <cuda_runtime.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int kExitWrong = 1;
constexpr int kExitUsage = 2;
constexpr int kExitNoDevice = 77;

#ifdef __CUCPU__
constexpr bool kOnGpu = false;  // nothing to learn from a CPU's time
constexpr std::size_t kDefaultN = std::size_t{1} << 16;
#else
constexpr bool kOnGpu = true;
constexpr std::size_t kDefaultN = std::size_t{1} << 24;  // more than an L2 cache holds
#endif

constexpr int kBlockSize = 256;
constexpr int kWarpSize = 32;
constexpr std::size_t kSectorBytes = 32;
constexpr int kMaxStride = 32;
constexpr int kRepeats = 20;
constexpr std::size_t kMaxN = std::size_t{1} << 31;  // blocks of a grid allow more, memory does not

// The place of element i on the strided side.
__host__ __device__ std::size_t place(std::size_t i, int stride) { return i * stride; }

__global__ void strided_load_kernel(const float* wide, float* dense, std::size_t n, int stride) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) dense[i] = wide[place(i, stride)];
}

__global__ void strided_store_kernel(const float* dense, float* wide, std::size_t n, int stride) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) wide[place(i, stride)] = dense[i];
}

// A value that tells places in memory apart, and never is the NaN that marks a gap.
__host__ __device__ float value_at(std::size_t i) { return static_cast<float>(i % 8388593); }

__global__ void fill_kernel(float* values, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) values[i] = value_at(i);
}

// Counts the elements of dense that are not what the strided load had to put there.
__global__ void check_load_kernel(const float* dense, std::size_t n, int stride,
                                  unsigned long long* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && !(dense[i] == value_at(place(i, stride)))) atomicAdd(wrong, 1ull);
}

// Counts the elements of wide that are not what the strided store had to put there or leave.
__global__ void check_store_kernel(const float* wide, std::size_t n, int stride,
                                   unsigned long long* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= place(n, stride)) return;
  const bool gap = i % stride != 0;
  const bool right = gap ? isnan(wide[i]) : wide[i] == value_at(i / stride);
  if (!right) atomicAdd(wrong, 1ull);
}

unsigned blocks_for(std::size_t threads) {
  return static_cast<unsigned>((threads + kBlockSize - 1) / kBlockSize);
}

// Every call of the runtime API can fail, and says so only by what it returns.
void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "error: %s: %s\n", call, cudaGetErrorString(error));
  std::exit(kExitWrong);
}

[[noreturn]] void usage_error(const char* option, const char* value, const char* allowed) {
  std::fprintf(stderr, "error: %s '%s': %s\n", option, value, allowed);
  std::exit(kExitUsage);
}

struct Options {
  std::size_t n = kDefaultN;
  bool json = false;
};

std::size_t parse_n(const char* text) {
  const bool digit = text[0] >= '0' && text[0] <= '9';  // strtoull takes "-1" and " 1"
  char* end = nullptr;
  errno = 0;
  const unsigned long long n = std::strtoull(text, &end, 10);
  if (!digit || *end != '\0' || errno == ERANGE || n < 1 || n > kMaxN) {
    usage_error("--n", text, "must be a number of elements from 1 to 2147483648");
  }
  return n;
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::printf(
          "Copies n floats with strides of 1 to 32 floats on one side.\n\n"
          "  --n N    elements per copy (default %zu); the wide buffer has 32 times as many\n"
          "  --json   one JSON object per stride instead of the table\n"
          "  --help   this text\n",
          kDefaultN);
      std::exit(0);
    } else if (std::strcmp(argv[i], "--json") == 0) {
      options.json = true;
    } else if (std::strcmp(argv[i], "--n") == 0) {
      if (i + 1 == argc) usage_error("--n", "", "needs a value, a number of elements");
      options.n = parse_n(argv[++i]);
    } else {
      usage_error("no such option", argv[i], "allowed are --n N, --json and --help");
    }
  }
  return options;
}

// The buffers of all runs. Freed when the program ends.
struct Buffers {
  float* wide = nullptr;   // (kMaxStride * n)
  float* dense = nullptr;  // (n)
  unsigned long long* wrong = nullptr;
};

Buffers allocate(std::size_t n) {
  Buffers buffers;
  cudaError_t error = cudaMalloc(&buffers.wide, kMaxStride * n * sizeof(float));
  if (error == cudaSuccess) error = cudaMalloc(&buffers.dense, n * sizeof(float));
  if (error == cudaErrorMemoryAllocation) {
    usage_error("--n", std::to_string(n).c_str(), "132 bytes per element must fit in memory");
  }
  check(error, "cudaMalloc");
  check(cudaMalloc(&buffers.wrong, sizeof(*buffers.wrong)), "cudaMalloc");
  return buffers;
}

// Distinct sectors under the addresses of the first warp's lanes. The next warp's lie a multiple of
// 128 bytes further on, and so in as many sectors.
std::size_t predicted_sectors(const float* wide, std::size_t n, int stride) {
  static_assert(kWarpSize * sizeof(float) % kSectorBytes == 0, "all warps lie alike in sectors");
  std::set<std::uintptr_t> sectors;
  for (std::size_t lane = 0; lane < std::min<std::size_t>(n, kWarpSize); ++lane) {
    const float* const address = wide + place(lane, stride);
    sectors.insert(reinterpret_cast<std::uintptr_t>(address) / kSectorBytes);
  }
  return sectors.size();
}

// The median time of a copy in milliseconds.
template <class Launch>
double time_copy(Launch launch) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");
  std::vector<float> times(kRepeats);
  for (float& time : times) {
    check(cudaEventRecord(start), "cudaEventRecord");
    launch();
    check(cudaEventRecord(stop), "cudaEventRecord");
    check(cudaEventSynchronize(stop), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&time, start, stop), "cudaEventElapsedTime");
  }
  check(cudaEventDestroy(start), "cudaEventDestroy");
  check(cudaEventDestroy(stop), "cudaEventDestroy");
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

struct Result {
  double gb_per_s = 0;
  unsigned long long wrong = 0;
};

// Runs a copy once and counts what it got wrong, then times it if that tells something.
template <class Launch, class Check>
Result run_copy(const Buffers& buffers, std::size_t n, Launch launch, Check count_wrong) {
  Result result;
  check(cudaMemset(buffers.wrong, 0, sizeof(*buffers.wrong)), "cudaMemset");
  launch();
  count_wrong();
  check(cudaGetLastError(), "launch of a copy");
  check(cudaMemcpy(&result.wrong, buffers.wrong, sizeof(result.wrong), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  if (kOnGpu) {
    const double bytes = 2.0 * sizeof(float) * static_cast<double>(n);
    result.gb_per_s = bytes / (time_copy(launch) * 1e6);
  }
  return result;
}

Result run_load(const Buffers& on, std::size_t n, int stride) {
  const std::size_t wide_count = place(n, stride);
  fill_kernel<<<blocks_for(wide_count), kBlockSize>>>(on.wide, wide_count);
  check(cudaMemset(on.dense, 0xff, n * sizeof(float)), "cudaMemset");  // all NaN
  return run_copy(
      on, n,
      [&] { strided_load_kernel<<<blocks_for(n), kBlockSize>>>(on.wide, on.dense, n, stride); },
      [&] { check_load_kernel<<<blocks_for(n), kBlockSize>>>(on.dense, n, stride, on.wrong); });
}

Result run_store(const Buffers& on, std::size_t n, int stride) {
  const std::size_t wide_count = place(n, stride);
  fill_kernel<<<blocks_for(n), kBlockSize>>>(on.dense, n);
  check(cudaMemset(on.wide, 0xff, wide_count * sizeof(float)), "cudaMemset");  // all NaN
  return run_copy(
      on, n,
      [&] { strided_store_kernel<<<blocks_for(n), kBlockSize>>>(on.dense, on.wide, n, stride); },
      [&] {
        check_store_kernel<<<blocks_for(wide_count), kBlockSize>>>(on.wide, n, stride, on.wrong);
      });
}

void print_row(const Options& options, int stride, std::size_t sectors, const Result& load,
               const Result& store) {
  const char* const status = load.wrong + store.wrong == 0 ? "pass" : "fail";
  const double asked_for = std::min<std::size_t>(options.n, kWarpSize) * sizeof(float);
  const double used = 100.0 * asked_for / static_cast<double>(sectors * kSectorBytes);
  if (options.json) {
    std::printf(
        "{\"experiment\":\"strided_copy\",\"backend\":\"%s\",\"n\":%zu,\"stride\":%d,"
        "\"predicted_sectors_per_request\":%zu,",
        kOnGpu ? "cuda" : "cpu", options.n, stride, sectors);
    if (kOnGpu) {
      std::printf("\"load_gb_per_s\":%.1f,\"store_gb_per_s\":%.1f,", load.gb_per_s, store.gb_per_s);
    }
    std::printf("\"status\":\"%s\"}\n", status);
  } else {
    std::printf("%6d  %7zu  %5.1f %%", stride, sectors, used);
    if (kOnGpu) std::printf("  %9.1f  %10.1f", load.gb_per_s, store.gb_per_s);
    std::printf("  %s\n", status);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "error: there is no CUDA device\n");
    return kExitNoDevice;
  }
  const std::size_t n = options.n;
  const Buffers buffers = allocate(n);

  if (!options.json) {
    std::printf("%zu floats; sectors per request as predicted from the addresses\n\n", n);
    std::printf("stride  sectors     used%s\n", kOnGpu ? "  load GB/s  store GB/s" : "");
  }
  unsigned long long wrong = 0;
  for (int stride = 1; stride <= kMaxStride; ++stride) {
    const Result load = run_load(buffers, n, stride);
    const Result store = run_store(buffers, n, stride);
    print_row(options, stride, predicted_sectors(buffers.wide, n, stride), load, store);
    wrong += load.wrong + store.wrong;
  }
  check(cudaFree(buffers.wide), "cudaFree");
  check(cudaFree(buffers.dense), "cudaFree");
  check(cudaFree(buffers.wrong), "cudaFree");
  return wrong == 0 ? 0 : kExitWrong;
}
