// cpu_benchmark [--json] [--record FILE]: how fast CUDA on the CPU is, against the same work as
// plain loops. With --record, the ratios of an earlier run stand beside those of this one; FILE is
// what that run printed with --json.
//
// Each row times a textbook kernel, from its launch to the end of cudaDeviceSynchronize, and plain
// C++ loops compiled with -O2 that run on as many threads as the backend has workers. The two take
// turns, so that each finds the other's arrays in the caches; the shortest of the runs counts. A
// time is processor time per thread, so other programs on the machine make no difference; nor does
// a thread that has nothing to do while another one works. "The same work" is, in each row, the
// same floating-point operations on the same data, written as one would without a GPU in mind:
//
//   vector add   c[i] = a[i] + b[i]
//   reduction    each thread adds up its part, one element after the other, and then their sums are
//                added up: as many additions as in the kernels' trees, though not in a tree
//   transpose    tile by tile, 32 x 32 elements, straight from one matrix to the other
//   product      row by row: C[i][j] += A[i][k] * B[k][j], j in the innermost loop
//
// The inputs are small integers, so all sums are exact, in whatever order: kernel and loops must
// agree to the bit, or the exit code is 1. A ratio above its goal is reported, and no more.
#include <cuda_runtime.h>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels.cuh"
#include "loops.h"
#include "team.h"

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// The arrays of a row: two inputs and the output, the device's or the host's.
struct Arrays {
  float* a;
  float* b;
  float* c;
};

// One line of the table: what is done, and how slow against the loops it may be.
struct Row {
  const char* work;
  double goal;
  std::size_t input_count;   // elements of each input
  std::size_t output_count;  // and of the output
  std::function<void(const Arrays&)> kernel;
  std::function<void(const Arrays&, Team&)> loops;
};

constexpr std::size_t kAdd = std::size_t{1} << 24;
constexpr std::size_t kSum = std::size_t{1} << 22;
constexpr std::size_t kSide = 2048, kProduct = 512;
constexpr int kBM = 128, kBN = 128, kBK = 8, kTM = 8, kTN = 8;
static_assert(kAdd % kBlockSize == 0 && kSum % kBlockSize == 0);
static_assert(kSide % kTile == 0 && kSide % loops::kTile == 0);
static_assert(kProduct % kSmall == 0 && kProduct % kBM == 0 && kProduct % kBN == 0);

std::vector<Row> make_rows() {
  const auto add = [](const Arrays& on, Team& team) {
    team.run(kAdd, [&](std::size_t, loops::Share share) { loops::add(on.a, on.b, on.c, share); });
  };
  const auto sum = [](const Arrays& on, Team& team) {
    std::vector<float> sums(team.size());
    team.run(kSum, [&](std::size_t member, loops::Share share) {
      sums[member] = loops::sum(on.a, share);
    });
    *on.c = loops::sum(sums.data(), {0, sums.size()});
  };
  const auto transpose = [](const Arrays& on, Team& team) {
    team.run(kSide / loops::kTile,
             [&](std::size_t, loops::Share share) { loops::transpose(on.a, on.c, kSide, share); });
  };
  const auto multiply = [](const Arrays& on, Team& team) {
    team.run(kProduct, [&](std::size_t, loops::Share share) {
      loops::multiply(on.a, on.b, on.c, kProduct, share);
    });
  };

  constexpr unsigned kTiles = kSide / kTile, kSmallTiles = kProduct / kSmall;
  return {
      {"vector add 2^24", 1.5, kAdd, kAdd,
       [](const Arrays& on) {
         add_kernel<<<kAdd / kBlockSize, kBlockSize>>>(on.a, on.b, on.c, kAdd);
       },
       add},
      {"reduction 2^22, shared tree, 256 threads", 30, kSum, 1,
       [](const Arrays& on) {
         check(cudaMemsetAsync(on.c, 0, sizeof(float)));
         sum_tree_kernel<<<kSum / kBlockSize, kBlockSize>>>(on.a, on.c, kSum);
       },
       sum},
      {"reduction 2^22, shuffles", 60, kSum, 1,
       [](const Arrays& on) {
         check(cudaMemsetAsync(on.c, 0, sizeof(float)));
         sum_shuffle_kernel<<<kSum / kBlockSize, kBlockSize>>>(on.a, on.c, kSum);
       },
       sum},
      {"transpose 2048^2, 32x32 threads", 5, kSide * kSide, kSide * kSide,
       [](const Arrays& on) {
         transpose_kernel<32><<<dim3(kTiles, kTiles), dim3(kTile, 32)>>>(on.a, on.c, kSide);
       },
       transpose},
      {"transpose 2048^2, 32x8 threads", 2.5, kSide * kSide, kSide * kSide,
       [](const Arrays& on) {
         transpose_kernel<8><<<dim3(kTiles, kTiles), dim3(kTile, 8)>>>(on.a, on.c, kSide);
       },
       transpose},
      {"product 512^3, 16x16 tile", 1.3, kProduct * kProduct, kProduct * kProduct,
       [](const Arrays& on) {
         multiply_kernel<<<dim3(kSmallTiles, kSmallTiles), dim3(kSmall, kSmall)>>>(on.a, on.b, on.c,
                                                                                   kProduct);
       },
       multiply},
      {"product 512^3, 128x128x8, 8x8 per thread", 0.2, kProduct * kProduct, kProduct * kProduct,
       [](const Arrays& on) {
         constexpr unsigned kThreads = (kBM / kTM) * (kBN / kTN);
         multiply_tiled_kernel<kBM, kBN, kBK, kTM, kTN>
             <<<dim3(kProduct / kBN, kProduct / kBM), kThreads>>>(on.a, on.b, on.c, kProduct);
       },
       multiply},
  };
}

// The processors' time that all threads of the program have taken.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_per_thread(std::size_t threads, const std::function<void()>& work) {
  const double start = processor_seconds();
  work();
  return (processor_seconds() - start) / static_cast<double>(threads);
}

// Integers from -4 to 4, in no order.
std::vector<float> make_input(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  std::uint32_t state = seed;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>((state >> 16) % 9) - 4;
  }
  return values;
}

// An array in device memory, a copy of `values`.
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<float>& values) : count_(values.size()) {
    check(cudaMalloc(&data_, count_ * sizeof(float)));
    check(cudaMemcpy(data_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  float* data() const { return data_; }
  std::vector<float> download() const {
    std::vector<float> values(count_);
    check(cudaMemcpy(values.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  float* data_ = nullptr;
};

struct Outcome {
  double kernel_s = INFINITY;
  double loops_s = INFINITY;
  bool right = false;

  double ratio() const { return kernel_s / loops_s; }
};

constexpr int kLeastRuns = 5;
constexpr double kLeastSeconds = 1;  // of all runs of a row: many runs where one is short

Outcome measure(const Row& row, Team& team) {
  std::vector<float> a = make_input(row.input_count, 1), b = make_input(row.input_count, 2);
  std::vector<float> c(row.output_count, NAN);
  const DeviceArray device_a(a), device_b(b), device_c(c);
  const Arrays host = {a.data(), b.data(), c.data()};
  const Arrays device = {device_a.data(), device_b.data(), device_c.data()};

  Outcome shortest;
  double all = 0;
  for (int run = 0; run < kLeastRuns || all < kLeastSeconds; ++run) {
    const double kernel_s = seconds_per_thread(team.size(), [&] {
      row.kernel(device);
      check(cudaGetLastError());
      check(cudaDeviceSynchronize());
    });
    const double loops_s = seconds_per_thread(team.size(), [&] { row.loops(host, team); });
    shortest.kernel_s = std::min(shortest.kernel_s, kernel_s);
    shortest.loops_s = std::min(shortest.loops_s, loops_s);
    all += kernel_s + loops_s;
  }
  const std::vector<float> got = device_c.download();
  shortest.right = std::memcmp(got.data(), c.data(), c.size() * sizeof(float)) == 0;
  return shortest;
}

// The ratios of an earlier run, by what was done.
using Record = std::map<std::string, double, std::less<>>;

// The rest of the line after `key`; empty without it.
std::string_view value_of(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  return at == std::string_view::npos ? "" : line.substr(at + key.size());
}

Record read_record(const char* path) {
  std::ifstream file(path);
  Record record;
  for (std::string line; std::getline(file, line);) {
    const std::string_view work = value_of(line, "\"work\":\"");
    const std::string ratio(value_of(line, "\"ratio\":"));
    if (!ratio.empty())
      record.emplace(work.substr(0, work.find('"')), std::strtod(ratio.c_str(), nullptr));
  }
  if (record.empty()) {
    std::fprintf(stderr, "error: '%s' is no record of this benchmark\n", path);
    std::exit(2);
  }
  return record;
}

void print_head() {
  std::printf("%-41s%9s%9s%9s%9s%6s%5s\n", "work", "kernel s", "loops s", "ratio", "recorded",
              "goal", "met");
}

void print_line(const Row& row, const Outcome& outcome, std::size_t workers, bool json,
                const Record& record) {
  const bool met = outcome.ratio() <= row.goal;
  if (json) {
    std::printf(
        "{\"work\":\"%s\",\"workers\":%zu,\"kernel_s\":%.6f,\"loops_s\":%.6f,\"ratio\":%.3f,"
        "\"goal\":%g,\"met\":%s,\"right\":%s}\n",
        row.work, workers, outcome.kernel_s, outcome.loops_s, outcome.ratio(), row.goal,
        met ? "true" : "false", outcome.right ? "true" : "false");
  } else {
    const auto earlier = record.find(row.work);
    char recorded[32] = "-";
    if (earlier != record.end()) std::snprintf(recorded, sizeof recorded, "%.2f", earlier->second);
    std::printf("%-41s%9.4f%9.4f%9.2f%9s%6g%5s\n", row.work, outcome.kernel_s, outcome.loops_s,
                outcome.ratio(), recorded, row.goal, met ? "yes" : "no");
  }
  std::fflush(stdout);
}

void print_foot(std::size_t workers) {
  std::printf(
      "\nOn %zu threads, processor time per thread, the shortest of at least %d runs. The loops,\n"
      "compiled with -O2:\n"
      "c[i] = a[i] + b[i]; a running sum a thread; a transpose tile by tile (32 x 32);\n"
      "a product as C[i][j] += A[i][k] * B[k][j], j innermost.\n",
      workers, kLeastRuns);
}

std::size_t worker_count() {
  int workers = 0;  // the backend has one for each SM of its device
  check(cudaDeviceGetAttribute(&workers, cudaDevAttrMultiProcessorCount, 0));
  return static_cast<std::size_t>(workers);
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  Record record;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--json") {
      json = true;
    } else if (option == "--record" && i + 1 < argc) {
      record = read_record(argv[++i]);
    } else {
      std::fprintf(stderr, "error: '%s': no such option; allowed: --json, --record FILE\n",
                   argv[i]);
      return 2;
    }
  }
  Team team(worker_count());
  bool all_right = true;
  if (!json) print_head();
  for (const Row& row : make_rows()) {
    const Outcome outcome = measure(row, team);
    print_line(row, outcome, team.size(), json, record);
    if (outcome.right) continue;
    std::fprintf(stderr, "error: %s: kernel and loops disagree\n", row.work);
    all_right = false;
  }
  if (!json) print_foot(team.size());
  return all_right ? 0 : 1;
}
