#include "judge/diagnosis.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <regex>
#include <sstream>

#include "judge/counted.h"

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

// All that a rule may look at.
struct Facts {
  const Exercise& exercise;
  const Verdict& verdict;
  const std::string& source;
  const Fault* fault;        // null if the process ended first
  const Json* finding;       // the first one; null if there is none
  const Sizes& sizes;        // of the case
  Counted counted;           // in this case
  double outputs, elements;  // of the output; of the longest array

  Facts(const Exercise& its_exercise, const Verdict& its_verdict, const std::string& its_source)
      : exercise(its_exercise),
        verdict(its_verdict),
        source(its_source),
        fault(verdict.check.fault ? &*verdict.check.fault : nullptr),
        finding(verdict.findings.empty() ? nullptr : &verdict.findings.front()),
        sizes(fault != nullptr ? fault->name.run.sizes : verdict.check.last.run.sizes),
        counted(fault != nullptr ? fault->launches : Json::array()) {
    outputs = count(exercise.output());
    elements = 0;
    for (std::size_t i = 0; i < exercise.arrays.size(); ++i)
      elements = std::max(elements, count(i));
  }

  double count(std::size_t array) const {
    return static_cast<double>(exercise.arrays[array].count(sizes));
  }
  std::string output_name() const { return std::string(exercise.arrays[exercise.output()].name); }
  bool is(const char* kind) const {
    return finding != nullptr && finding->value("kind", "") == kind;
  }
  bool reports(const char* words) const { return verdict.report.find(words) != std::string::npos; }
  int line() const { return finding->value("line", 0); }
  int other_line() const { return finding->value("other_line", line()); }
  bool has_mismatch() const { return fault != nullptr && fault->mismatch.has_value(); }
  bool has_in_source(const char* word) const { return source.find(word) != std::string::npos; }
  std::string line_of_source(int number) const {
    std::istringstream in(source);
    std::string text;
    for (int i = 0; i < number; ++i) std::getline(in, text);
    return text;
  }
  bool is_in_place() const { return exercise.arrays[exercise.output()].role == Role::in_place; }

  // Whether a line accesses shared memory, and not global memory.
  bool is_shared(int number) const {
    const LineCounts* const its = counted.line(number);
    return its != nullptr && its->shared.requests() > 0 && its->global.requests() == 0;
  }
};

// "1 element", "2 elements"
std::string plural(double count, std::string_view what) {
  return fmt::format("{:.0f} {}{}", count, what, count == 1 ? "" : "s");
}

// Each rule gives its sentence, or nothing where it does not apply.
using Rule = std::string (*)(const Facts&);

std::string lines_of(const Facts& facts) {
  const int a = std::min(facts.line(), facts.other_line());
  const int b = std::max(facts.line(), facts.other_line());
  return a == b ? fmt::format("line {}", a) : fmt::format("lines {} and {}", a, b);
}

// --- memory --------------------------------------------------------------------------------------

std::string host_access(const Facts& facts) {
  if (!facts.reports("Invalid host")) return {};
  return fmt::format(
      "Line {} runs on the host, and the host reaches device memory only by cudaMemcpy: launch a "
      "kernel that does this",
      facts.line());
}

std::string misaligned(const Facts& facts) {
  if (!facts.is("misaligned")) return {};
  return fmt::format(
      "Line {} accesses several elements at once at an address that is no multiple of their size: "
      "a float4 needs 16 bytes, so begin at a multiple of four elements, and in every row",
      facts.line());
}

std::string freed(const Facts& facts) {
  if (!facts.is("use_after_free")) return {};
  return "The kernel uses memory that has been freed: call cudaFree after the last launch that "
         "needs it";
}

std::string beyond_shared_array(const Facts& facts) {
  if (!facts.is("out_of_bounds") || !facts.reports("__shared__")) return {};
  return fmt::format(
      "The shared array is smaller than the index at line {}: it needs an element for each index "
      "that a thread of the block uses",
      facts.line());
}

// By how many bytes the first bad access misses its array, before or after it.
struct Miss {
  bool is_before = false;
  double bytes = 0;
};
std::optional<Miss> miss_of(const std::string& report) {
  std::smatch match;
  if (!std::regex_search(report, match, std::regex(R"((\d+) bytes? (before|after) the nearest)")))
    return std::nullopt;
  return Miss{match[2] == "before", std::stod(match[1])};
}

std::string beyond_array(const Facts& facts) {
  if (!facts.is("out_of_bounds") || facts.counted.launches.empty()) return {};
  const auto miss = miss_of(facts.verdict.report);
  if (miss && miss->is_before)
    return fmt::format(
        "The index at line {} is negative for some thread: which one has no neighbor before it?",
        facts.line());
  const LaunchCounts& launch = facts.counted.main_launch();
  if (launch.all_threads() > facts.outputs)
    return fmt::format(
        "More threads run than there are elements, and line {} has no guard that keeps out those "
        "past the end: {} for {}",
        facts.line(), plural(launch.all_threads(), "thread"), plural(facts.outputs, "element"));
  return fmt::format(
      "The index at line {} goes past the end of the array: which is the largest one that a thread "
      "computes, and how many elements are there?",
      facts.line());
}

std::string beyond_array_without_counts(const Facts& facts) {
  if (!facts.is("out_of_bounds")) return {};
  return fmt::format("The index at line {} goes past the end of the array: is there a guard?",
                     facts.line());
}

std::string unwritten_shared(const Facts& facts) {
  if (!facts.is("uninitialized") || !facts.reports("__shared__")) return {};
  return fmt::format(
      "Line {} reads an element of shared memory that no thread of the block has written: it does "
      "not begin as zero, so every thread that has no input writes a neutral value",
      facts.line());
}

std::string unwritten_output(const Facts& facts) {
  if (!facts.is("uninitialized")) return {};
  const LineCounts* const line = facts.counted.line(facts.line());
  const bool accumulates =
      line != nullptr && (line->global.atomic.requests > 0 || line->global.store.requests > 0);
  if (accumulates)
    return fmt::format(
        "Line {} adds to memory that nobody has set: {} does not begin as zero, so cudaMemset it "
        "before the launch",
        facts.line(), facts.output_name());
  return fmt::format(
      "Line {} reads global memory that nobody has written: cudaMalloc and {} do not "
      "begin as zero",
      facts.line(), facts.output_name());
}

// --- races ---------------------------------------------------------------------------------------

bool is_between_blocks(const Facts& facts) { return facts.reports("Blocks run in any order"); }

std::string race_for_a_sum(const Facts& facts) {
  if (!facts.is("race") || facts.is_shared(facts.line())) return {};
  if (facts.counted.launches.empty()) return {};
  // A thread each for many elements, and few results that all of them change.
  if (facts.outputs * 2 > facts.counted.main_launch().all_threads() ||
      facts.outputs * 2 > facts.elements)
    return {};
  const LineCounts* const line = facts.counted.line(facts.line());
  if (line == nullptr || line->global.load.requests == 0 || line->global.store.requests == 0)
    return {};
  return fmt::format(
      "Many threads change one element of {} at once, and overwrite each other's results, at "
      "{}: combine their values first, or use an atomic function",
      facts.output_name(), lines_of(facts));
}

std::string race_between_blocks(const Facts& facts) {
  if (!facts.is("race") || !is_between_blocks(facts)) return {};
  const std::string where = facts.has_in_source("blockIdx")
                                ? "does each of the block's coordinates count in the index?"
                                : "its index has no blockIdx.x";
  return fmt::format("Several blocks handle the same element at {}: {}", lines_of(facts), where);
}

std::string race_in_warp(const Facts& facts) {
  if (!facts.is("race") || !facts.reports("__syncwarp()")) return {};
  const bool is_block_a_warp =
      !facts.counted.launches.empty() && facts.counted.main_launch().threads <= 32;
  const std::string lines = lines_of(facts);
  if (is_block_a_warp)
    return fmt::format(
        "A __syncwarp() is missing between the accesses at {}: the lanes of a warp need not run in "
        "step",
        lines);
  return fmt::format(
      "A __syncthreads() is missing between the accesses at {}, or a __syncwarp() if only the "
      "lanes "
      "of one warp hand values to each other: they need not run in step",
      lines);
}

std::string race_in_shared_memory(const Facts& facts) {
  if (!facts.is("race") || !facts.reports("__syncthreads()")) return {};
  if (facts.line() != facts.other_line())
    return fmt::format(
        "A __syncthreads() is missing between lines {} and {}: one thread reads what another one "
        "writes, and nothing makes it wait",
        std::min(facts.line(), facts.other_line()), std::max(facts.line(), facts.other_line()));
  if (!facts.is_shared(facts.line()))
    return fmt::format(
        "Several threads of a block handle the same element at line {}: does each of the thread's "
        "coordinates count in the index?",
        facts.line());
  return fmt::format(
      "Threads change the same shared memory at line {} at once: in a loop a __syncthreads() is "
      "missing between its rounds, otherwise give each thread an element of its own",
      facts.line());
}

std::string divergent_barrier(const Facts& facts) {
  if (!facts.is("barrier_divergence")) return {};
  return fmt::format(
      "Not all threads of the block reach the __syncthreads() at line {}: no thread may return "
      "before it or go round it in a branch",
      facts.line());
}

std::string absent_lanes(const Facts& facts) {
  if (!facts.is("invalid_mask")) return {};
  return fmt::format(
      "A lane that the mask at line {} names does not take part: all lanes of the mask have to "
      "make the call, so keep it out of branches and after no return",
      facts.line());
}

// --- launches ------------------------------------------------------------------------------------

std::string has_reason(const Facts& facts, const char* reason) {
  if (facts.fault == nullptr) return {};
  for (const auto& [name, text] : facts.fault->reasons)
    if (name == reason) return text.empty() ? " " : text;
  return {};
}

std::string too_many_blocks(const Facts& facts) {
  constexpr int kMostBlocks = 65535;
  const std::string error = has_reason(facts, "launch");
  if (error.find("InvalidConfiguration") == std::string::npos &&
      error.find("InvalidValue") == std::string::npos)
    return {};
  for (std::size_t i = 0; i < facts.sizes.size(); ++i)
    if (facts.sizes[i] > kMostBlocks)
      return fmt::format(
          "A grid has at most 65535 blocks in y and in z, and 2^31 - 1 in x: with {}={}, put that "
          "side on x, or let blocks take several rows in a loop",
          facts.exercise.sizes[i], facts.sizes[i]);
  const double smallest = *std::min_element(facts.sizes.begin(), facts.sizes.end());
  static const std::regex division(R"(/\s*\w+)");
  if (smallest < 1024 && std::regex_search(facts.source, division) && facts.elements < 1024)
    return fmt::format(
        "The launch is refused: is the number of blocks rounded down to 0 for {}, or has a block "
        "more than 1024 threads?",
        facts.exercise.describe(facts.sizes));
  return "The launch is refused: a block has 1 to 1024 threads, and a grid at least one block, and "
         "at most 65535 in y and in z";
}

std::string endless(const Facts& facts) {
  if (has_reason(facts, "timeout").empty()) return {};
  return "A kernel does not end: is there a loop whose condition no thread changes, or threads "
         "that "
         "wait for others that never come?";
}

// --- results -------------------------------------------------------------------------------------

std::string no_launch(const Facts& facts) {
  if (!facts.has_mismatch() || !facts.fault->launches.empty() || !JUDGE_WATCHES) return {};
  if (facts.fault->mismatch->untouched != facts.fault->mismatch->wrong) return {};
  return fmt::format("No kernel was launched for {}, and nothing was written",
                     facts.exercise.describe(facts.sizes));
}

bool is_whole_tail(const Facts& facts) {
  const Mismatch& wrong = *facts.fault->mismatch;
  return static_cast<double>(wrong.last) + 1 == facts.outputs ||
         (facts.is_in_place() && wrong.last > wrong.index);
}

// Blocks after the first one do what that has done.
std::string same_elements_in_each_block(const Facts& facts) {
  if (!facts.has_mismatch() || facts.counted.launches.empty() || facts.is_in_place()) return {};
  const Mismatch& wrong = *facts.fault->mismatch;
  const LaunchCounts& launch = facts.counted.main_launch();
  const bool is_one_block_done =
      wrong.unwritten && static_cast<double>(wrong.index) == launch.threads && launch.blocks > 1;
  if (!is_one_block_done || facts.has_in_source("blockIdx")) return {};
  return fmt::format(
      "Several blocks handle the same element, and none those from {}[{}] on: the index has no "
      "blockIdx.x",
      facts.output_name(), wrong.index);
}

std::string unwritten_tail(const Facts& facts) {
  if (!facts.has_mismatch() || facts.counted.launches.empty()) return {};
  const Mismatch& wrong = *facts.fault->mismatch;
  const LaunchCounts& launch = facts.counted.main_launch();
  if (wrong.untouched != wrong.wrong || wrong.index == 0 || facts.outputs < 2) return {};
  if (!is_whole_tail(facts)) return {};
  const double threads = launch.all_threads();
  const auto first = static_cast<double>(wrong.index);
  if (launch.blocks == 1 && threads < facts.outputs)
    return fmt::format(
        "One block of {:.0f} threads handles {}[0] to {}[{:.0f}] only: launch as many blocks as it "
        "takes, and use blockIdx.x in the index",
        launch.threads, facts.output_name(), facts.output_name(), first - 1);
  if (threads < facts.outputs)
    return fmt::format(
        "The grid is too small: {:.0f} blocks of {:.0f} threads for {:.0f} elements; round the "
        "number of "
        "blocks up, (n + threads - 1) / threads",
        launch.blocks, launch.threads, facts.outputs);
  return fmt::format(
      "Elements from {}[{:.0f}] on are not written, though {:.0f} threads run for {:.0f} elements: "
      "does "
      "a guard or a loop leave out the end?",
      facts.output_name(), first, threads, facts.outputs);
}

std::string unwritten_parts(const Facts& facts) {
  if (!facts.has_mismatch() || facts.counted.launches.empty() || facts.outputs < 2) return {};
  const Mismatch& wrong = *facts.fault->mismatch;
  if (wrong.untouched != wrong.wrong) return {};
  const double threads = facts.counted.main_launch().all_threads();
  if (threads < facts.outputs)
    return fmt::format(
        "The grid is too small: {:.0f} threads for {:.0f} elements, of which {} are not written; "
        "round the number of blocks up in each dimension",
        threads, facts.outputs, wrong.wrong);
  return fmt::format("{} of {:.0f} elements are not written: which indices does no thread come to?",
                     wrong.wrong, facts.outputs);
}

std::string unwritten_single(const Facts& facts) {
  if (!facts.has_mismatch() || facts.outputs > 1) return {};
  if (!facts.fault->mismatch->unwritten) return {};
  return fmt::format(
      "{} is NaN: it was not written, or a value was added to what it held before, which is not "
      "zero",
      facts.output_name());
}

std::string not_a_number(const Facts& facts) {
  if (!facts.has_mismatch()) return {};
  const Mismatch& wrong = *facts.fault->mismatch;
  if (!std::isnan(wrong.got.number) || std::isnan(wrong.expected.value)) return {};
  return "A NaN comes of infinity - infinity, infinity * 0 or 0 / 0: which of them does a special "
         "input lead to?";
}

std::string partial_sum(const Facts& facts) {
  if (!facts.has_mismatch() || facts.outputs > 1 || facts.counted.launches.empty()) return {};
  const LaunchCounts& launch = facts.counted.main_launch();
  if (launch.all_threads() < facts.elements && facts.counted.global.load.threads < facts.elements)
    return fmt::format(
        "Not all elements are read: {:.0f} threads load {:.0f} values of {:.0f}; round the number "
        "of "
        "blocks up, or let each thread go on in a loop",
        launch.all_threads(), facts.counted.global.load.threads, facts.elements);
  return {};
}

constexpr std::array<Rule, 23> kRules = {
    host_access,
    misaligned,
    freed,
    divergent_barrier,
    absent_lanes,
    beyond_shared_array,
    beyond_array,
    beyond_array_without_counts,
    race_for_a_sum,
    race_between_blocks,
    race_in_warp,
    race_in_shared_memory,
    unwritten_shared,
    unwritten_output,
    too_many_blocks,
    endless,
    no_launch,
    partial_sum,
    unwritten_single,
    same_elements_in_each_block,
    unwritten_tail,
    unwritten_parts,
    not_a_number,
};

}  // namespace

std::string diagnose(const Exercise& exercise, const Verdict& verdict, const std::string& source) {
  const Facts facts(exercise, verdict, source);
  for (const Rule rule : kRules)
    if (std::string sentence = rule(facts); !sentence.empty()) return sentence;
  return {};
}

}  // namespace judge
