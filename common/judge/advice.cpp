#include "judge/advice.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "judge/counted.h"
#include "judge/goal.h"

namespace judge {
namespace {

constexpr double kLanes = 32;

// All that a rule may look at.
struct Facts {
  const Exercise& exercise;
  const CheckResult& result;
  Counted counted;
  double elements;  // of the longest array
  double outputs;   // elements of the output
  double needed;    // bytes that have to move at least
  double inputs;    // bytes of them that are read
  bool by_memory;   // whether memory is what limits it

  Facts(const Exercise& its_exercise, const CheckResult& its_result)
      : exercise(its_exercise), result(its_result), counted(its_result.launches) {
    const Sizes& sizes = result.last.run.sizes;
    elements = 0;
    inputs = 0;
    for (const Array& array : exercise.arrays) {
      const auto count = static_cast<double>(array.count(sizes));
      elements = std::max(elements, count);
      if (array.role != Role::output)
        inputs += exercise.reads * count * static_cast<double>(bytes_of(array.element));
    }
    outputs = static_cast<double>(exercise.arrays[exercise.output()].count(sizes));
    needed = exercise.bytes(sizes);
    by_memory = exercise.limit && *exercise.limit != problem::Limit::ffma;
  }

  // Launches that do next to nothing need no advice.
  bool is_main(const LaunchCounts& launch) const {
    constexpr double kShare = 0.1;
    return launch.global.requests() >= kShare * counted.global.requests();
  }
  double requests() const { return counted.global.requests() + counted.shared.requests(); }

  // The line with the most of what `cost` says.
  const LineCounts& worst(const std::function<double(const LineCounts&)>& cost) const {
    return *std::max_element(
        counted.lines.begin(), counted.lines.end(),
        [&](const LineCounts& a, const LineCounts& b) { return cost(a) < cost(b); });
  }
};

// Each rule gives its sentence, or nothing where it does not apply.
using Rule = std::string (*)(const Facts&);

std::string no_kernel(const Facts& facts) {
  if (!facts.counted.launches.empty()) return {};
  return "no kernel is launched: all that the device does is to copy";
}

std::string one_thread(const Facts& facts) {
  for (const LaunchCounts& launch : facts.counted.launches)
    if (facts.is_main(launch) && launch.all_threads() == 1)
      return fmt::format(
          "{} runs in one thread, and a GPU has room for many thousands: give each thread a part",
          launch.kernel);
  return {};
}

std::string one_block(const Facts& facts) {
  for (const LaunchCounts& launch : facts.counted.launches)
    if (facts.is_main(launch) && launch.blocks == 1)
      return fmt::format("{} runs in one block, and so on one SM: all others have nothing to do",
                         launch.kernel);
  return {};
}

std::string part_of_a_warp(const Facts& facts) {
  for (const LaunchCounts& launch : facts.counted.launches)
    if (facts.is_main(launch) && launch.threads < kLanes)
      return fmt::format(
          "{} has blocks of {:.0f}: of the 32 lanes of a warp, {:.0f} have nothing to do; take 128 "
          "or "
          "256 threads",
          launch.kernel, launch.threads, kLanes - launch.threads);
  return {};
}

std::string many_launches(const Facts& facts) {
  constexpr std::size_t kMany = 8;
  if (facts.counted.launches.size() <= kMany) return {};
  return fmt::format("{} launches: each costs some microseconds, whatever it does; let one do more",
                     facts.counted.launches.size());
}

std::string atomics(const Facts& facts) {
  // With one for each block that is hardly ever reached.
  constexpr double kElementsEach = 40, kFew = 64;
  const double threads = facts.counted.global.atomic.threads;
  if (threads < kFew || threads * kElementsEach <= facts.elements) return {};
  // One for each result of each block is what combining them leaves.
  if (threads <= facts.counted.blocks * facts.outputs) return {};
  const LineCounts& line = facts.worst([](const LineCounts& l) { return l.global.atomic.threads; });
  return fmt::format(
      "{}: {:.0f} atomic operations for {:.0f} elements, which take turns; combine the values of a "
      "block first, and let one thread of it do one atomic",
      line.place, threads, facts.elements);
}

std::string atomics_in_shared_memory(const Facts& facts) {
  constexpr double kElementsEach = 8, kFew = 64;
  const double threads = facts.counted.shared.atomic.threads;
  if (threads < kFew || threads * kElementsEach <= facts.elements) return {};
  const LineCounts& line = facts.worst([](const LineCounts& l) { return l.shared.atomic.threads; });
  return fmt::format(
      "{}: {:.0f} atomic operations on shared memory for {:.0f} elements, which take turns there, "
      "too; "
      "combine the values of a warp in registers first (shuffles)",
      line.place, threads, facts.elements);
}

// Sectors that no lane asked for, if they are most of what moves.
std::string uncoalesced(const Facts& facts) {
  constexpr double kMuch = 0.5, kWellUsed = 4.5;
  struct Side {
    const char* verb;
    const char* other;
    Accesses Traffic::*its;
    Accesses Traffic::*others;
  };
  constexpr std::array kSides = {Side{"load", "stores", &Traffic::load, &Traffic::store},
                                 Side{"store", "loads", &Traffic::store, &Traffic::load}};
  const auto unused = [](const Accesses& access) {
    return access.sectors - access.used / kSectorBytes;
  };
  for (const Side& side : kSides) {
    const LineCounts& line =
        facts.worst([&](const LineCounts& l) { return unused(l.global.*side.its); });
    const Accesses& worst = line.global.*side.its;
    const double sectors = (facts.counted.global.*side.its).sectors;
    if (sectors == 0 || unused(worst) < kMuch * sectors) continue;
    const double each = worst.sectors / worst.requests;
    if (each <= kWellUsed) continue;
    const Accesses& other = facts.counted.global.*side.others;
    const bool is_other_right = other.sectors > 0 && unused(other) < other.sectors / 4;
    return fmt::format(
        "{}: each {} of a warp touches {:.3g} sectors where {:.2g} would hold all that it asks "
        "for{}; "
        "let neighboring threads access neighboring addresses (coalescing)",
        line.place, side.verb, each, std::ceil(worst.used / kSectorBytes / worst.requests),
        is_other_right ? fmt::format(" (the {} are coalesced)", side.other) : "");
  }
  return {};
}

// Lines in which most lanes of the warps that come by have nothing to do, if these are many.
std::string few_lanes(const Facts& facts) {
  constexpr double kFew = 12, kMuch = 0.65;
  const auto requests = [](const LineCounts& line) {
    const double all = line.global.requests() + line.shared.requests();
    const double threads = line.global.threads() + line.shared.threads();
    return threads < kFew * all ? all : 0;
  };
  double idle = 0;
  for (const LineCounts& line : facts.counted.lines) idle += requests(line);
  if (idle < kMuch * facts.requests()) return {};
  const LineCounts& line = facts.worst(requests);
  const double lanes = (line.global.threads() + line.shared.threads()) / requests(line);
  const bool is_tree = line.shared.requests() > line.global.requests();
  return fmt::format(
      "{}: {:.2g} of a warp's 32 lanes are active in each request, on average; {}", line.place,
      lanes,
      is_tree ? "let the first threads of the block do the work of a round (t < half), so that "
                "whole warps have nothing to do instead of most lanes of each"
              : "the others wait: give all lanes a part of that work");
}

std::string half_of_the_lanes(const Facts& facts) {
  constexpr double kMost = 24, kMuch = 0.15;
  const Accesses& load = facts.counted.global.load;
  const Accesses& store = facts.counted.global.store;
  const double requests = load.requests + store.requests;
  const double lanes = (load.threads + store.threads) / requests;
  if (requests == 0 || lanes >= kMost || facts.outputs < kLanes) return {};
  const auto idle = [](const LineCounts& l) {
    return kLanes * l.global.requests() - l.global.threads();
  };
  const LineCounts& line = facts.worst(idle);
  if (idle(line) < kMuch * kLanes * requests) return {};
  return fmt::format(
      "{}: {:.3g} of a warp's 32 lanes are active in each request, on average: lanes that take "
      "different branches take turns; let a condition hold for whole warps, or do without it",
      line.place, line.global.threads() / line.global.requests());
}

std::string bank_conflicts(const Facts& facts) {
  constexpr double kMuch = 0.25;
  for (const bool is_load : {true, false}) {
    const auto side = is_load ? &Traffic::load : &Traffic::store;
    const LineCounts& line =
        facts.worst([&](const LineCounts& l) { return (l.shared.*side).conflicts; });
    const Accesses& worst = line.shared.*side;
    if (worst.conflicts == 0 || worst.conflicts < kMuch * (facts.counted.shared.*side).wavefronts)
      continue;
    return fmt::format(
        "{}: bank conflicts, {:.3g} wavefronts per {} of shared memory where {:.2g} would do; "
        "change "
        "the pitch of the array or the order of the threads",
        line.place, worst.wavefronts / worst.requests, is_load ? "load" : "store",
        (worst.wavefronts - worst.conflicts) / worst.requests);
  }
  return {};
}

std::string read_again(const Facts& facts) {
  // A small one of several inputs is read often, and comes from a cache.
  const auto count = std::count_if(facts.exercise.arrays.begin(), facts.exercise.arrays.end(),
                                   [](const Array& a) { return a.role != Role::output; });
  const double often = count > 1 ? 2.5 : 1.6;
  const Accesses& load = facts.counted.global.load;
  // Lanes may share what a sector holds, and leave some of it alone.
  const double times = std::min(kSectorBytes * load.sectors, load.bytes) / facts.inputs;
  if (times < often) return {};
  const LineCounts& line = facts.worst([](const LineCounts& l) { return l.global.load.sectors; });
  const double at_best = facts.exercise.reads;
  return fmt::format(
      "{}: the input is read {:.2g} times{}; keep what is needed again in registers or shared "
      "memory",
      line.place, times * at_best, at_best > 1 ? ", where two would do" : "");
}

std::string written_again(const Facts& facts) {
  constexpr double kOften = 1.6;
  const auto width =
      static_cast<double>(bytes_of(facts.exercise.arrays[facts.exercise.output()].element));
  const double times = facts.counted.global.store.bytes / (facts.outputs * width);
  if (times < kOften || facts.outputs < kLanes) return {};
  const LineCounts& line = facts.worst([](const LineCounts& l) { return l.global.store.bytes; });
  return fmt::format(
      "{}: {:.2g} times as many bytes are written as the output has; keep a value in a register "
      "until "
      "it is complete, and store it once",
      line.place, times);
}

// Blocks that combine few values, and then pay for barriers or shuffles and an atomic as all do.
std::string work_per_block(const Facts& facts) {
  constexpr double kFewEach = 4;
  if (!facts.by_memory || facts.outputs > 1) return {};
  const LaunchCounts& launch = facts.counted.main_launch();
  const double each = facts.elements / launch.all_threads();
  if (launch.barriers + launch.shuffles == 0 || each > kFewEach) return {};
  return fmt::format(
      "{} adds up {:.3g} elements per block, and each block pays for its barriers and its result; "
      "start fewer blocks, and let each thread combine many elements first (grid-stride loop)",
      launch.kernel, each * launch.threads);
}

std::string small_blocks(const Facts& facts) {
  constexpr double kBlocksEach = 32, kSmall = 64;
  for (const LaunchCounts& launch : facts.counted.launches) {
    if (!facts.is_main(launch) || launch.blocks <= kBlocksEach || launch.threads >= kSmall)
      continue;
    // Blocks that are larger in other cases are of the size that this one needs.
    const auto largest = facts.result.largest_block.find(launch.kernel);
    if (largest != facts.result.largest_block.end() && largest->second > launch.threads) continue;
    return fmt::format(
        "{} has blocks of {:.0f} threads: an SM holds 32 blocks at most, and so {:.0f} of "
        "the 2048 threads it has room for; take 128 or 256",
        launch.kernel, launch.threads, kBlocksEach * launch.threads);
  }
  return {};
}

// Bytes of an access that a thread makes, on average; 0 where next to nothing of `bytes` moves.
double width(const Facts& facts) {
  const Accesses& load = facts.counted.global.load;
  const Accesses& store = facts.counted.global.store;
  if (load.threads + store.threads == 0 || load.bytes + store.bytes < facts.needed / 2) return 0;
  return (load.bytes + store.bytes) / (load.threads + store.threads);
}

std::string below_words(const Facts& facts) {
  constexpr double kWord = 4;
  const double each = width(facts);
  if (each == 0 || each >= kWord) return {};
  return "a thread accesses less than 4 bytes at a time; whole words, or 16 bytes, take far fewer "
         "instructions for the same";
}

// Words of shared memory that a multiplication needs, where arithmetic is the limit.
std::string register_tile(const Facts& facts) {
  if (facts.by_memory || facts.exercise.flops == nullptr) return {};
  constexpr double kWord = 4, kFew = 0.75, kFlopsOfFma = 2;
  const double fmas = facts.exercise.flops(facts.result.last.run.sizes) / kFlopsOfFma;
  const double words = facts.counted.shared.load.bytes / kWord / fmas;
  if (words < kFew) return {};
  const LineCounts& line = facts.worst([](const LineCounts& l) { return l.shared.load.bytes; });
  return fmt::format(
      "{}: each multiply-add loads {:.2g} words of shared memory; let a thread compute several "
      "elements, so that a word in a register serves all of them (thread tile)",
      line.place, words);
}

std::string narrow(const Facts& facts) {
  const double each = width(facts);
  if (!facts.by_memory || each == 0 || each > 8) return {};
  return fmt::format(
      "a thread accesses {:.2g} bytes at a time; 16 (float4) take a quarter of the instructions "
      "for the same bytes",
      each);
}

// The costliest comes first: a GPU that is empty, then accesses that take turns, then bytes that
// need not move, then instructions.
constexpr std::array<Rule, 18> kRules = {
    no_kernel,         one_thread,     one_block,      part_of_a_warp,
    many_launches,     atomics,        uncoalesced,    few_lanes,
    half_of_the_lanes, bank_conflicts, below_words,    atomics_in_shared_memory,
    read_again,        written_again,  work_per_block, small_blocks,
    register_tile,     narrow,
};

}  // namespace

std::string advise(const Exercise& exercise, const CheckResult& result) {
  const Facts facts(exercise, result);
  for (const Rule rule : kRules) {
    if (rule != no_kernel && facts.counted.lines.empty()) break;
    if (std::string sentence = rule(facts); !sentence.empty()) return sentence;
  }
  return "the counters show nothing to gain; a GPU's clock has the last word (--bench)";
}

std::vector<Reached> goals_of(const Exercise& exercise, const CheckResult& result) {
  const Counted counted(result.launches);
  const Sizes& sizes = result.last.run.sizes;
  const Work work = {.sectors = counted.global.load.sectors + counted.global.store.sectors,
                     .global_atomics = counted.global.atomic.threads,
                     .loads = counted.global.load.requests + counted.shared.load.requests,
                     .sizes = sizes,
                     .elements = static_cast<double>(exercise.arrays[0].count(sizes)),
                     .bytes = exercise.bytes(sizes)};
  std::vector<Reached> reached;
  for (const Goal& goal : exercise.goals)
    reached.push_back({goal.what, goal.most, goal.counted(work)});
  return reached;
}

}  // namespace judge
