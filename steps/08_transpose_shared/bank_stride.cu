// Experiment: what a stride costs in shared memory. The lanes of a warp read 4, 8 or 16 bytes each,
// `stride` words apart; stride 0 is a broadcast.
//
//   wavefronts  passes over the 32 banks that one request of a warp takes. Predicted from the words
//               that the lanes read: the lanes are served in groups that together ask for 32 words
//               (32, 16 or 8 lanes), and a group takes as many passes as the busiest bank has
//               distinct words to deliver.
//   cycles      of the SM's clock per request, with 32 warps at it; on a GPU.
//
// Each word holds its own number, and the next place to read is what was just read: a read that
// goes wrong is found at the end, and the compiler cannot leave one out.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

namespace {

constexpr int kExitWrong = 1;
constexpr int kExitUsage = 2;
constexpr int kExitNoDevice = 77;

#ifdef __CUCPU__
constexpr bool kOnGpu = false;  // a CPU has no banks to time
#else
constexpr bool kOnGpu = true;
#endif

constexpr int kWarpSize = 32;
constexpr int kBanks = 32;
constexpr int kMaxStride = 32;
constexpr int kBlockSize = 1024;
constexpr int kSpan = kWarpSize * kMaxStride;  // words that the lanes of a warp lie within
constexpr int kChains = 4;                     // reads that a thread has under way at once
constexpr int kReads = kOnGpu ? 1024 : 4;      // of each chain
static_assert(kSpan % kBanks == 0, "all chains see the same banks");

// The first word that a lane reads.
__host__ __device__ unsigned first_word(unsigned lane, unsigned stride) { return lane * stride; }

// The result of a read of 1, 2 or 4 words: its first word, if the others follow it in order.
__device__ unsigned follow(unsigned words) { return words; }
__device__ unsigned follow(uint2 words) { return min(words.x, words.y - 1); }
__device__ unsigned follow(uint4 words) {
  return min(min(words.x, words.y - 1), min(words.z - 2, words.w - 3));
}

// One block. Every thread reports where its chains ended, and the cycles that passed.
template <class Words>
__global__ void bank_stride_kernel(unsigned stride, unsigned* ends, long long* cycles) {
  __shared__ uint4 storage[kChains * kSpan / 4];                   // uint4 for its alignment
  unsigned* const numbers = reinterpret_cast<unsigned*>(storage);  // (kChains, kSpan)
  for (int i = threadIdx.x; i < kChains * kSpan; i += kBlockSize) numbers[i] = i;
  __syncthreads();

  constexpr unsigned kWidth = sizeof(Words) / sizeof(unsigned);
  unsigned at[kChains];
  for (int chain = 0; chain < kChains; ++chain) {
    at[chain] = chain * kSpan + first_word(threadIdx.x % kWarpSize, stride);
  }
  const long long start = clock64();
  for (int read = 0; read < kReads; ++read) {
#pragma unroll
    for (int chain = 0; chain < kChains; ++chain) {
      at[chain] = follow(reinterpret_cast<const Words*>(numbers)[at[chain] / kWidth]);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - start;
  for (int chain = 0; chain < kChains; ++chain) {
    ends[chain * kBlockSize + threadIdx.x] = at[chain];
  }
}

// Every call of the runtime API can fail, and says so only by what it returns.
void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "error: %s: %s\n", call, cudaGetErrorString(error));
  std::exit(kExitWrong);
}

struct Options {
  bool json = false;
};

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::printf(
          "Reads shared memory with strides of 0 to 32 words, 4, 8 and 16 bytes per thread.\n\n"
          "  --json   one JSON object per stride and width instead of the table\n"
          "  --help   this text\n");
      std::exit(0);
    } else if (std::strcmp(argv[i], "--json") == 0) {
      options.json = true;
    } else {
      std::fprintf(stderr, "error: no such option '%s': allowed are --json and --help\n", argv[i]);
      std::exit(kExitUsage);
    }
  }
  return options;
}

// Passes over the banks for one request of a warp whose lanes read `width` words each.
int predicted_wavefronts(unsigned stride, int width) {
  const int group = kWarpSize / width;
  std::size_t wavefronts = 0;
  for (int first_lane = 0; first_lane < kWarpSize; first_lane += group) {
    std::array<std::set<unsigned>, kBanks> words_of_bank;
    for (int lane = first_lane; lane < first_lane + group; ++lane) {
      for (int i = 0; i < width; ++i) {
        const unsigned word = first_word(lane, stride) + i;
        words_of_bank[word % kBanks].insert(word);
      }
    }
    std::size_t passes = 0;
    for (const std::set<unsigned>& words : words_of_bank) passes = std::max(passes, words.size());
    wavefronts += passes;
  }
  return static_cast<int>(wavefronts);
}

struct Result {
  bool legal = false;  // an access of w words starts at a multiple of w
  int wavefronts = 0;
  double cycles = 0;  // per request
  bool right = false;
};

template <class Words>
Result run(unsigned stride, unsigned* device_ends, long long* device_cycles) {
  constexpr int kWidth = sizeof(Words) / sizeof(unsigned);
  if (stride % kWidth != 0) return {};
  Result result;
  result.legal = true;
  result.wavefronts = predicted_wavefronts(stride, kWidth);

  std::vector<unsigned> ends(kChains * kBlockSize);
  const std::size_t bytes = ends.size() * sizeof(unsigned);
  check(cudaMemset(device_ends, 0xff, bytes), "cudaMemset");
  bank_stride_kernel<Words><<<1, kBlockSize>>>(stride, device_ends, device_cycles);
  check(cudaGetLastError(), "launch of bank_stride_kernel");
  check(cudaMemcpy(ends.data(), device_ends, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  long long cycles = 0;
  check(cudaMemcpy(&cycles, device_cycles, sizeof(cycles), cudaMemcpyDeviceToHost), "cudaMemcpy");

  constexpr double kRequests = double{kReads} * kChains * kBlockSize / kWarpSize;
  result.cycles = static_cast<double>(cycles) / kRequests;
  result.right = true;
  for (int chain = 0; chain < kChains; ++chain) {
    for (int thread = 0; thread < kBlockSize; ++thread) {
      const unsigned expected = chain * kSpan + first_word(thread % kWarpSize, stride);
      if (ends[chain * kBlockSize + thread] != expected) result.right = false;
    }
  }
  return result;
}

void print_json(unsigned stride, int bytes, const Result& result) {
  if (!result.legal) return;
  std::printf(
      "{\"experiment\":\"bank_stride\",\"backend\":\"%s\",\"stride_words\":%u,"
      "\"bytes_per_thread\":%d,\"predicted_wavefronts_per_request\":%d,",
      kOnGpu ? "cuda" : "cpu", stride, bytes, result.wavefronts);
  if (kOnGpu) std::printf("\"cycles_per_request\":%.2f,", result.cycles);
  std::printf("\"status\":\"%s\"}\n", result.right ? "pass" : "fail");
}

void print_cell(const Result& result) {
  if (!result.legal) {
    std::printf("  %10s", "-");
    if (kOnGpu) std::printf(" %7s", "-");
    return;
  }
  std::printf("  %10d", result.wavefronts);
  if (kOnGpu) std::printf(" %7.2f", result.cycles);
}

void print_header() {
  std::printf("wavefronts per request as predicted from the words that the lanes read\n\n");
  std::printf("stride");
  for (const char* width : {"4 bytes", "8 bytes", "16 bytes"}) {
    std::printf("  %10s", width);
    if (kOnGpu) std::printf(" %7s", "cycles");
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "error: there is no CUDA device\n");
    return kExitNoDevice;
  }
  unsigned* ends = nullptr;  // (kChains, kBlockSize)
  long long* cycles = nullptr;
  check(cudaMalloc(&ends, kChains * kBlockSize * sizeof(unsigned)), "cudaMalloc");
  check(cudaMalloc(&cycles, sizeof(long long)), "cudaMalloc");

  if (!options.json) print_header();
  bool right = true;
  for (unsigned stride = 0; stride <= kMaxStride; ++stride) {
    const Result results[] = {run<unsigned>(stride, ends, cycles), run<uint2>(stride, ends, cycles),
                              run<uint4>(stride, ends, cycles)};
    if (!options.json) std::printf("%6u", stride);
    bool row_right = true;
    for (int i = 0; i < 3; ++i) {
      if (options.json) {
        print_json(stride, 4 << i, results[i]);
      } else {
        print_cell(results[i]);
      }
      if (results[i].legal && !results[i].right) row_right = false;
    }
    if (!options.json) std::printf("  %s\n", row_right ? "pass" : "fail");
    right = right && row_right;
  }
  check(cudaFree(ends), "cudaFree");
  check(cudaFree(cycles), "cudaFree");
  return right ? 0 : kExitWrong;
}
