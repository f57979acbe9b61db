#include "judge/bench.h"

#include <cuda_runtime.h>

#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>

#include "device/backend.h"
#include "device/check.h"
#include "device/info.h"
#include "device/stopwatch.h"
#include "harness/launch.h"
#include "harness/limit.h"
#include "host/temporary_folder.h"
#include "judge/build.h"
#include "judge/comparison.h"
#include "judge/layout.h"
#include "judge/protocol.h"
#include "judge/session.h"
#include "problem/parallel.h"
#include "problem/random.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double kSecondsOfCall = 120;
constexpr int kWarmups = 1;
constexpr int kRepeats = 20;
// Long runs are timed less often: they vary less, too.
constexpr int kFewestRepeats = 3;
constexpr double kSecondsOfRepeats = 3;

// Device memory within which an array begins anywhere.
constexpr std::size_t kRoomToShift = std::size_t{64} << 20;

// Anything that goes on for longer after the timer has stopped is work that it should have seen.
constexpr double kMostLeftoverMs = 0.05;

const Sizes& sizes_of(const Exercise& exercise) {
  return device::kIsCpu ? exercise.large_cpu : exercise.bench;
}

// Pieces of the output, spread at random; the first at its beginning, the last at its end. Which
// these are is known to nobody before the call is over.
class Pieces {
 public:
  static constexpr std::size_t kPieces = 64, kElements = 64;

  Pieces(const Exercise& exercise, std::size_t output_bytes, std::size_t at, std::uint64_t seed)
      : element_bytes_(bytes_of(exercise.arrays[exercise.output()].element)), at_(at) {
    const std::size_t count = output_bytes / element_bytes_;
    length_ = std::min(count, kElements);
    const std::size_t last = count - length_;
    first_ = {0, last};
    for (std::size_t i = 2; i < kPieces && last > 0; ++i)
      first_.push_back(problem::random_bits(seed, 0, i) % (last + 1));
  }

  static std::size_t most_bytes(std::size_t element_bytes) {
    return kPieces * kElements * element_bytes;
  }

  Json to_json() const {
    Json json = Json::array();
    for (std::size_t i = 0; i < first_.size(); ++i)
      json.push_back({{"from", first_[i] * element_bytes_},
                      {"bytes", length_ * element_bytes_},
                      {"at", at_ + i * length_ * element_bytes_}});
    return json;
  }

  std::optional<Mismatch> compare_with(const Exercise& exercise, const Answer& answer,
                                       const unsigned char* memory) const {
    std::vector<std::optional<Mismatch>> mismatches(first_.size());
    problem::parallel_for(first_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t bytes = length_ * element_bytes_;
        mismatches[i] = compare(exercise, answer, first_[i], {memory + at_ + i * bytes, bytes});
      }
    });
    for (const auto& mismatch : mismatches)
      if (mismatch) return mismatch;
    return std::nullopt;
  }

 private:
  std::size_t element_bytes_, at_, length_ = 0;
  std::vector<std::size_t> first_;
};

std::string text_of(Session::Answer answer, Session& session) {
  switch (answer) {
    case Session::Answer::late:
      return fmt::format("a call takes more than {} s: stopped", kSecondsOfCall);
    case Session::Answer::forged:
      return "solve writes to a descriptor that is not its own";
    default:
      return session.end().signal != 0 ? "solve crashes" : "solve ends the process";
  }
}

double median(std::vector<double> values) { return device::summarize(std::move(values)).median_ms; }

// Times a solution with other inputs at other addresses in each call, all of which count.
class Timer {
 public:
  Timer(const Exercise& exercise, const fs::path& program)
      : exercise_(exercise),
        run_{sizes_of(exercise), Values::random},
        layout_(exercise, run_.sizes, 0),
        session_({program.string()}, {}, layout_.bytes() + Pieces::most_bytes(4), 0) {}

  // Throws `std::runtime_error` with what is wrong.
  void run() {
    for (int i = 0; i < kWarmups; ++i) time_once();
    times_ms_.clear();
    leftovers_ms_.clear();
    clocks_.reset();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kRepeats; ++i) {
      const std::chrono::duration<double> seconds = Clock::now() - start;
      if (i >= kFewestRepeats && seconds.count() > kSecondsOfRepeats) break;
      time_once();
    }
    if (median(leftovers_ms_) > kMostLeftoverMs)
      throw std::runtime_error(
          "the device works on after solve's timer has stopped: launch on the default stream, or "
          "wait for other streams before solve returns");
  }

  device::Timing timing() const {
    device::Timing timing = device::summarize(times_ms_);
    timing.clocks = clocks_;
    return timing;
  }

 private:
  Json ask(Json command) {
    Json reply;
    const Session::Answer answer = session_.ask(std::move(command), kSecondsOfCall, reply);
    if (answer != Session::Answer::reply) throw std::runtime_error(text_of(answer, session_));
    for (const char* field : {"failure", "thrown", "error"})
      if (const std::string text = reply.value(field, std::string()); !text.empty())
        throw std::runtime_error(text);
    return reply;
  }

  void time_once() {
    run_.seed = unpredictable();
    const Data data = make_data(exercise_, run_);
    unsigned char* const memory = session_.memory().at(0);
    layout_.fill(exercise_, data, memory);
    const std::size_t shift = run_.seed % (kRoomToShift / kAlignment) * kAlignment;
    const bool modified = harness::lines_before(exercise_.limit.value_or(problem::Limit::copy)) ==
                          device::Lines::modified;
    const Json reply = ask({{"do", "time"},
                            {"arrays", layout_.to_json(exercise_, "poison", shift)},
                            {"sizes", run_.sizes},
                            {"output", exercise_.output()},
                            {"modified", modified}});
    const std::size_t output_bytes = layout_.data(exercise_.output(), memory).size();
    const Pieces pieces(exercise_, output_bytes, layout_.bytes(), unpredictable());
    ask({{"do", "download"}, {"pieces", pieces.to_json()}});
    if (const auto mismatch = pieces.compare_with(exercise_, exercise_.answer(data), memory))
      throw std::runtime_error(
          fmt::format("element {} is wrong at {} in a timed call, each of which has new inputs at "
                      "new addresses",
                      mismatch->index, exercise_.describe(run_.sizes)));
    times_ms_.push_back(reply.at("milliseconds").get<double>());
    leftovers_ms_.push_back(reply.at("leftover_milliseconds").get<double>());
    if (!reply.contains("clocks")) return;
    const device::Clocks clocks = {reply.at("clocks").at(0).get<int>(),
                                   reply.at("clocks").at(1).get<int>()};
    clocks_ = clocks_ ? clocks_->merged(clocks) : clocks;
  }

  const Exercise& exercise_;
  Case run_;
  Layout layout_;
  Session session_;
  std::vector<double> times_ms_, leftovers_ms_;
  std::optional<device::Clocks> clocks_;
};

Json describe(const Exercise& exercise, const device::Timing& timing,
              const std::optional<device::Roof>& roof) {
  int current = 0;
  CUDA_CHECK(cudaGetDevice(&current));
  const Sizes& sizes = sizes_of(exercise);
  const bool by_flops = exercise.limit == problem::Limit::ffma;
  const double work = by_flops ? exercise.flops(sizes) : exercise.bytes(sizes);
  const double rate = work / (timing.median_ms * 1e6);
  Json record = {{"backend", device::kBackendName},
                 {"device", device::info(current).name},
                 {"sizes", exercise.describe(sizes)},
                 {"median_ms", timing.median_ms},
                 {"min_ms", timing.min_ms},
                 {"max_ms", timing.max_ms},
                 {"repeats", timing.repeats},
                 {by_flops ? "flops" : "bytes", work},
                 {by_flops ? "gflop_per_s" : "gb_per_s", rate}};
  std::optional<device::Clocks> clocks = timing.clocks;
  if (roof) {
    record[by_flops ? "roof_gflop_per_s" : "roof_gb_per_s"] = roof->rate();
    record["percent_of_roof"] = 100 * rate / roof->rate();
    if (const std::string fault = harness::roof_fault(rate, roof->rate()); !fault.empty())
      record["measuring_error"] = fault;
    if (clocks && roof->timing.clocks) clocks = clocks->merged(*roof->timing.clocks);
  }
  if (clocks) {
    record["sm_clock_mhz"] = clocks->lowest;
    if (const std::string fault = harness::clock_fault(*clocks); !fault.empty())
      record["measuring_error"] = fault;
  }
  return record;
}

Timed time_program(const Exercise& exercise, const fs::path& program) {
  // Before the data takes its memory; a CPU's roof says nothing here.
  std::optional<device::Roof> roof;
  if (exercise.limit && !device::kIsCpu) roof = harness::measure_roof(*exercise.limit);
  try {
    Timer timer(exercise, program);
    timer.run();
    return {"", describe(exercise, timer.timing(), roof)};
  } catch (const Interrupted&) {
    throw;
  } catch (const host::CannotStart& error) {
    throw MachineFault(error.what());
  } catch (const std::runtime_error& error) {
    return {error.what(), {}};
  }
}

}  // namespace

void time_solutions(const std::vector<Solution>& solutions,
                    const std::function<void(std::size_t index, const Timed& timed)>& on_time) {
  const host::TemporaryFolder folder("judge");
  const auto folder_of = [&](std::size_t i) { return folder.path() / std::to_string(i); };
  std::vector<BuildResult> built(solutions.size());
  problem::parallel_for(solutions.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Solution& solution = solutions[i];
      fs::create_directory(folder_of(i));
      built[i] = build(*solution.exercise, {{solution.file, solution.shown_as}}, folder_of(i),
                       folder_of(i) / "solution");
    }
  });
  for (std::size_t i = 0; i < solutions.size(); ++i)
    on_time(i, built[i].reason.empty()
                   ? time_program(*solutions[i].exercise, folder_of(i) / "solution")
                   : Timed{built[i].message, {}});
}

}  // namespace judge
