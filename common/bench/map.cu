// map SEED SHAPES SECONDS DEVICE KERNEL: one kernel of a step beside the library, at shapes drawn
// at random; a JSON object per shape. `bench --map` starts it, for each operator that it maps.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/map_shapes.h"
#include "device/backend.h"
#include "device/buffer.h"
#include "device/check.h"
#include "device/info.h"
#include "device/l2_flush.h"
#include "device/stopwatch.h"
#include "device/stream.h"
#include "harness/launch.h"
#include "harness/limit.h"
#include "problem/data.h"
#include "rungs.h"

namespace {

constexpr int kRounds = 7;  // launches of each contender; the median counts

// Pseudo-random in [-1, 1), one of 2^16 values.
__global__ void fill_kernel(float* values, std::size_t count, unsigned seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    unsigned bits = (static_cast<unsigned>(i) + seed) * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    values[i] = static_cast<float>(bits >> 16) / 32768.0f - 1.0f;
  }
}

// Counts the elements that differ by more than the bound, or are no numbers.
__global__ void compare_kernel(const float* ours, const float* theirs, std::size_t count,
                               float absolute, float relative, unsigned* differing) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const float bound = absolute + relative * fabsf(theirs[i]);
    if (!(fabsf(ours[i] - theirs[i]) <= bound)) atomicAdd(differing, 1u);
  }
}

struct Bound {
  float absolute, relative;
};

// By how much two right results may differ: a transpose's not at all, a softmax's by some roundings
// of each element, and a sum's by what the roundings of its terms come to, whatever their order.
Bound bound_of(const problem::Problem& problem, const problem::Shape& shape) {
  constexpr float kEps = 0x1p-24f;
  if (problem.name() == "transpose") return {0.0f, 0.0f};
  if (problem.name() == "softmax") return {0.0f, 256 * kEps};
  const auto terms = static_cast<float>(shape.back());
  // A product's terms are added one after another; other sums in many parts.
  return {problem.name() == "sgemm" ? 8 * kEps * terms : 256 * kEps * std::sqrt(terms), 4 * kEps};
}

constexpr unsigned kBlocks = 1024, kThreads = 256;

class Map {
 public:
  Map(const harness::AnyVariant& variant, const problem::Problem& problem, std::uint64_t seed)
      : variant_(variant),
        problem_(problem),
        seed_(seed),
        flush_(harness::lines_before(problem.limit())) {}

  nlohmann::ordered_json measure(const problem::Shape& shape) {
    std::vector<device::Buffer<float>> inputs;
    problem::Operands operands{.inputs = {}, .output = nullptr, .shape = shape};
    for (const std::size_t count : problem_.input_counts(shape)) {
      inputs.emplace_back(count);
      fill_kernel<<<kBlocks, kThreads, 0, stream_.get()>>>(
          inputs.back().data(), count, static_cast<unsigned>(seed_ + inputs.size()));
      operands.inputs.push_back(inputs.back().data());
    }
    device::Buffer<float> ours(problem_.output_count(shape)), theirs(ours.size());
    const std::optional<problem::Baseline> peer = problem_.baseline(shape);
    ours.poison(stream_.get());
    operands.output = ours.data();
    launch(variant_.launch, operands);
    bool is_checked = is_for_reference(shape),
         is_right = !is_checked || agrees_with_reference(shape);
    problem::Operands of_peer = operands;
    if (peer) {
      of_peer.output = theirs.data();
      theirs.poison(stream_.get());
      launch(peer->launch, of_peer);
      is_checked = true;
      is_right = is_right && differing(shape, ours, theirs) == 0;
    }
    device::Stopwatch watch(stream_.get()), peer_watch(stream_.get());
    // They take turns to go first: what one leaves behind is there for the other.
    for (int round = 0; round < 2 * kRounds; ++round) {
      const bool is_ours = round % 4 == 0 || round % 4 == 3;
      if (is_ours) time(watch, variant_.launch, operands);
      if (!is_ours && peer) time(peer_watch, peer->launch, of_peer);
    }
    nlohmann::ordered_json line = head(shape);
    line["kernel"] = variant_.name;
    line["ms"] = watch.timing().median_ms;
    if (peer) line["peer"] = peer->name;
    if (peer) line["peer_ms"] = peer_watch.timing().median_ms;
    line["status"] = !is_checked ? "unchecked" : is_right ? "pass" : "fail";
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

  // The right answer in fp64 takes the host about a second for these.
  bool is_for_reference(const problem::Shape& shape) const {
    return problem_.bytes(shape) <= 1 << 26 && problem_.flops(shape) <= 1 << 28;
  }

  bool agrees_with_reference(const problem::Shape& shape) {
    const problem::Inputs inputs(problem_, shape, {.seed = seed_});
    problem::DeviceData data(inputs);
    return harness::launch_and_check(variant_.launch, data, stream_).fault.empty();
  }

  void launch(const problem::Launch& launch, const problem::Operands& operands) {
    launch(operands, stream_.get());
    CUDA_CHECK(cudaGetLastError());
  }

  void time(device::Stopwatch& watch, const problem::Launch& run,
            const problem::Operands& operands) {
    flush_(stream_.get());
    watch.time([&] { launch(run, operands); });
  }

  unsigned differing(const problem::Shape& shape, const device::Buffer<float>& ours,
                     const device::Buffer<float>& theirs) {
    device::Buffer<unsigned> count(1);
    CUDA_CHECK(cudaMemsetAsync(count.data(), 0, sizeof(unsigned), stream_.get()));
    const Bound bound = bound_of(problem_, shape);
    compare_kernel<<<kBlocks, kThreads, 0, stream_.get()>>>(
        ours.data(), theirs.data(), ours.size(), bound.absolute, bound.relative, count.data());
    stream_.synchronize();
    unsigned result = 0;
    count.download({&result, 1});
    return result;
  }

  const harness::AnyVariant& variant_;
  const problem::Problem& problem_;
  std::uint64_t seed_;
  device::Stream stream_;
  device::L2Flush flush_;
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
  const problem::Problem& problem = Problem::problem();
  // Both outputs are kept, to be compared: in the worst case, twice the bytes.
  const double most = device::kIsCpu ? 1 << 16 : 0.45 * static_cast<double>(device::free_memory());
  const bench::MapLimits limits = {.bytes = most, .flops = device::kIsCpu ? 1e6 : 5e12};
  const auto variants = harness::erase_types<Problem>(step.variants);
  const auto variant = std::find_if(variants.begin(), variants.end(),
                                    [&](const auto& one) { return one.name == kernel; });
  if (variant == variants.end()) throw std::runtime_error(kernel + ": the step has no such kernel");
  Map map(*variant, problem, seed);
  const auto start = std::chrono::steady_clock::now();
  for (const problem::Shape& shape : bench::draw_shapes(problem, seed, count, limits)) {
    const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
    if (past.count() > seconds) break;
    std::printf("%s\n", map.measure(shape).dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  try {
    return run(kStep, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
