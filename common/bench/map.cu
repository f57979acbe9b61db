// map SEED SHAPES SECONDS DEVICE KERNEL [FROM]: one kernel of a step beside the library, at shapes
// drawn at random; a JSON object per shape. `bench --map` starts it, for each operator that it
// maps.
//
// A library that reads or writes outside of its arrays, as some do at huge shapes, ends the program
// with kDeviceFailed. It can go on from there: with the shapes from number FROM on, counted from 0,
// the first of them without peers.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/map_check.h"
#include "bench/map_program.h"
#include "bench/map_shapes.h"
#include "device/backend.h"
#include "device/buffer.h"
#include "device/check.h"
#include "device/guards.h"
#include "device/info.h"
#include "device/l2_flush.h"
#include "device/stopwatch.h"
#include "device/stream.h"
#include "harness/limit.h"
#include "rungs.h"

namespace {

constexpr int kRounds = 7;             // launches of each contender; the median counts
constexpr double kMostMs = 150;        // of all these, where one round does not take more
constexpr double kFarBehind = 4;       // times as slow as another, at the first launch
constexpr std::size_t kMostPeers = 2;  // whose speed is measured so
constexpr unsigned kBlocks = 1024, kThreads = 256;  // of the kernels below

// Pseudo-random in [-1, 1), one of 2^16 values.
__global__ void fill_kernel(float* values, std::size_t count, unsigned seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    unsigned bits = (static_cast<unsigned>(i) + seed) * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    values[i] = static_cast<float>(bits >> 16) / 32768.0f - 1.0f;
  }
}

// All arrays of all shapes lie in one piece of memory: to allocate and to free it takes longer than
// most launches.
class Arena {
 public:
  explicit Arena(std::size_t floats) : memory_(floats) {}

  void clear() { used_ = 0; }

  // An array on 256 bytes, as from an allocation.
  float* take(std::size_t floats) {
    constexpr std::size_t kAlignment = 64;
    float* const array = memory_.data() + used_;
    used_ += (floats + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ > memory_.size()) throw std::runtime_error("a shape is too large for the map");
    return array;
  }

 private:
  device::Buffer<float> memory_;
  std::size_t used_ = 0;
};

// A kernel or a library at one shape.
struct Contender {
  std::string name;
  problem::Launch launch;
  problem::Operands operands;
  std::vector<double> times_ms = {};

  double median_ms() const { return device::summarize(times_ms).median_ms; }
};

class Map {
 public:
  // `floats`: of the inputs and of two outputs, at most.
  Map(const harness::AnyVariant& variant, const problem::Problem& problem, std::uint64_t seed,
      std::size_t floats)
      : variant_(variant),
        problem_(problem),
        seed_(seed),
        arena_(floats),
        flush_(harness::lines_before(problem.limit())) {}

  nlohmann::ordered_json measure(const problem::Shape& shape, bool has_peers) {
    arena_.clear();
    problem::Operands operands{.inputs = {}, .output = nullptr, .shape = shape};
    for (const std::size_t count : problem_.input_counts(shape)) {
      float* const input = arena_.take(count);
      const auto seed = static_cast<unsigned>(seed_ + operands.inputs.size() * 1'000'003);
      fill_kernel<<<kBlocks, kThreads, 0, stream_.get()>>>(input, count, seed);
      operands.inputs.push_back(input);
    }
    operands.output = arena_.take(problem_.output_count(shape));
    Contender ours = {variant_.name, variant_.timed, operands};
    operands.output = arena_.take(problem_.output_count(shape));
    std::vector<Contender> peers;
    if (has_peers) peers = fastest_peers(operands);
    run_once(ours);
    double round_ms = run_once(ours);
    for (const Contender& peer : peers) round_ms += peer.median_ms();
    const bool is_right = bench::wrong_elements(problem_, ours.operands, stream_.get()) == 0;
    // They take turns to go first: what one leaves behind is there for the next.
    const int rounds = std::clamp(static_cast<int>(kMostMs / round_ms), 1, kRounds);
    ours.times_ms.clear();
    for (Contender& peer : peers) peer.times_ms.clear();
    for (int round = 0; round < rounds; ++round) {
      if (round % 2 == 0) time(ours);
      for (Contender& peer : peers) time(peer);
      if (round % 2 == 1) time(ours);
    }
    nlohmann::ordered_json line = head(shape);
    line["kernel"] = variant_.name;
    line["ms"] = ours.median_ms();
    if (const auto best = std::min_element(peers.begin(), peers.end(), is_faster);
        best != peers.end()) {
      line["peer"] = best->name;
      line["peer_ms"] = best->median_ms();
    }
    line["status"] = is_right ? "pass" : "fail";
    return line;
  }

 private:
  nlohmann::ordered_json head(const problem::Shape& shape) const {
    int current = 0;
    CUDA_CHECK(cudaGetDevice(&current));
    nlohmann::ordered_json line;
    line["operator"] = problem_.name() == "sum" ? "reduce" : problem_.name();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      line["shape"][std::string(problem_.sizes()[i].name)] = shape[i];
    }
    line["device"] = device::info(current).name;
    line["seed"] = seed_;
    return line;
  }

  static bool is_faster(const Contender& a, const Contender& b) {
    return a.median_ms() < b.median_ms();
  }

  // The two peers that were fastest in one launch, after one to warm up, of those that are right.
  std::vector<Contender> fastest_peers(const problem::Operands& operands) {
    std::vector<Contender> peers;
    for (const problem::Baseline& peer : problem_.baselines(operands.shape)) {
      peers.push_back({peer.name, peer.launch, operands});
    }
    double best_ms = std::numeric_limits<double>::infinity();
    for (Contender& peer : peers) {
      // The first launch may load code; one that is far behind all the same is not tried again.
      if (run_once(peer) < kFarBehind * best_ms) best_ms = std::min(best_ms, run_once(peer));
    }
    std::sort(peers.begin(), peers.end(), is_faster);
    std::vector<Contender> fastest;
    for (Contender& peer : peers) {
      if (fastest.size() == kMostPeers) break;
      run_once(peer);
      const bool is_right = bench::wrong_elements(problem_, peer.operands, stream_.get()) == 0;
      if (is_right) fastest.push_back(peer);
    }
    return fastest;
  }

  // Milliseconds of one launch into a poisoned output; earlier times are forgotten.
  double run_once(Contender& contender) {
    const problem::Operands& on = contender.operands;
    CUDA_CHECK(cudaMemsetAsync(on.output, device::kPoison,
                               problem_.output_count(on.shape) * sizeof(float), stream_.get()));
    contender.times_ms.clear();
    time(contender);
    return contender.median_ms();
  }

  void time(Contender& contender) {
    flush_(stream_.get());
    watch_.reset();
    watch_.time([&] {
      contender.launch(contender.operands, stream_.get());
      CUDA_CHECK(cudaGetLastError());
    });
    contender.times_ms.push_back(watch_.timing().median_ms);
  }

  const harness::AnyVariant& variant_;
  const problem::Problem& problem_;
  std::uint64_t seed_;
  device::Stream stream_;
  Arena arena_;
  device::L2Flush flush_;
  device::Stopwatch watch_{stream_.get()};
};

// As a step does: memory that launches take from the stream's pool stays there.
void choose_device(int device) {
  CUDA_CHECK(cudaSetDevice(device));
  cudaMemPool_t pool = nullptr;
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  std::uint64_t keep_all = UINT64_MAX;
  CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
}

template <class Problem>
int run(const harness::Step<Problem>& step, char** argv) {
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const std::size_t count = std::strtoull(argv[2], nullptr, 10);
  const double seconds = std::strtod(argv[3], nullptr);
  choose_device(std::atoi(argv[4]));
  const std::string kernel = argv[5];
  const std::size_t from = argv[6] == nullptr ? 0 : std::strtoull(argv[6], nullptr, 10);
  const problem::Problem& problem = Problem::problem();
  // Two outputs are compared: in the worst case, they are twice the bytes.
  const double most = device::kIsCpu ? 1 << 16 : 0.4 * static_cast<double>(device::free_memory());
  const bench::MapLimits limits = {.bytes = most, .flops = device::kIsCpu ? 1e6 : 5e12};
  const auto floats = static_cast<std::size_t>(2 * most / sizeof(float)) + 1024;  // and gaps
  const auto variants = harness::erase_types<Problem>(step.variants);
  const auto variant = std::find_if(variants.begin(), variants.end(),
                                    [&](const auto& one) { return one.name == kernel; });
  if (variant == variants.end()) throw std::runtime_error(kernel + ": the step has no such kernel");
  Map map(*variant, problem, seed, floats);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<problem::Shape> shapes = bench::draw_shapes(problem, seed, count, limits);
  for (std::size_t i = from; i < shapes.size(); ++i) {
    const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
    if (past.count() > seconds) break;
    const bool has_peers = argv[6] == nullptr || i > from;
    try {
      std::printf("%s\n", map.measure(shapes[i], has_peers).dump().c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "error: %s: %s\n", problem.describe(shapes[i]).c_str(), error.what());
      std::_Exit(bench::kDeviceFailed);  // destructors would only meet the same error
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7) return 2;
  try {
    return run(kStep, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
