#include "harness/step.h"

#include <cuda_runtime.h>

#include <fmt/core.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/backend.h"
#include "device/check.h"
#include "device/checkers.h"
#include "device/counters.h"
#include "device/info.h"
#include "device/l2_flush.h"
#include "device/roof.h"
#include "device/stopwatch.h"
#include "device/stream.h"
#include "harness/count_table.h"
#include "harness/figures.h"
#include "harness/launch.h"
#include "harness/limit.h"
#include "harness/memory.h"
#include "harness/options.h"
#include "harness/report.h"
#include "host/command_line.h"
#include "host/program_end.h"
#include "problem/arithmetic.h"
#include "problem/data.h"

namespace harness {
namespace {

constexpr double kPercent = 100;

void choose_device(std::size_t wanted, int devices) {
  if (wanted >= static_cast<std::size_t>(devices)) {
    throw host::UsageError(
        fmt::format("--device {}: no such device; allowed: 0 to {}", wanted, devices - 1));
  }
  CUDA_CHECK(cudaSetDevice(static_cast<int>(wanted)));
  // Memory that launches take from the stream's pool stays there: otherwise each synchronization
  // gives it back to the driver, and the next launch's time is that of getting it again.
  cudaMemPool_t pool = nullptr;
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, static_cast<int>(wanted)));
  std::uint64_t keep_all = UINT64_MAX;
  CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
}

std::string gibibytes(double bytes) { return fmt::format("{:.1f} GiB", bytes / (1 << 30)); }

// Refuses sizes that do not fit in memory before anything is allocated.
void check_memory(const problem::Problem& problem, const Options& options) {
  problem::Footprint needed = problem::run_bytes(problem, options.shape);
  needed.device += static_cast<double>(device::L2Flush::bytes());
  if (device::kIsCpu) needed.host += needed.device;  // device memory is host memory

  const auto refuse_above = [&](double bytes, double free, const char* kind) {
    if (bytes <= free) return;
    std::string sizes;
    for (const std::string& size : options.sizes) sizes += (sizes.empty() ? "" : " ") + size;
    throw host::UsageError(sizes + ": needs " + gibibytes(bytes) + " of " + kind + " memory, " +
                           gibibytes(free) + " are free; allowed: sizes that fit");
  };
  refuse_above(needed.device, static_cast<double>(device::free_memory()), "device");
  refuse_above(needed.host, available_host_memory(), "host");
}

// Runs the variants of a step one after the other over the same data.
class Runner {
 public:
  Runner(std::string_view step, const problem::Problem& problem, const Options& options)
      : problem_(problem), options_(options), flush_(lines_before(problem.limit())) {
    const bool timed = options.repeat > 0;
    // Before the data takes its memory.
    if (timed && !device::kIsCpu) measure_roofs();
    inputs_.emplace(problem, options.shape, options.inputs);
    data_.emplace(*inputs_);
    if (timed && !device::kIsCpu) time_baseline();
    fill_common(step);
  }

  struct Run {
    Result result;
    Checked checked;
    std::string tables;  // of counters
  };

  Run run(const AnyVariant& variant) {
    // A wrong kernel's damage to inputs and red zones must not be blamed on the next one.
    if (spoiled_) data_.emplace(*inputs_);
    const std::size_t errors_before = device::found_errors();
    if (options_.counts) device::take_counts(false);  // of launches before this one
    Run run{.result = common_,
            .checked = launch_and_check(variant.launch, *data_, stream_),
            .tables = {}};
    if (options_.counts) {
      device::Counts counts = device::take_counts(options_.counters && !options_.json);
      run.result.figures = figures(problem_, options_.shape, counts.json);
      run.result.counters = std::move(counts.json);
      run.tables = std::move(counts.tables);
    }
    Result& result = run.result;
    Checked& checked = run.checked;
    result.variant = variant.name;
    if (!variant.origin.empty()) result.grows_from = variant.origin;
    if (options_.hash && checked.fault.empty()) result.output_hash = hash_of_output();
    if (checked.fault.empty() && options_.repeat > 0) time(variant, result, checked);
    if (checked.verdict.elements > 0 && std::isfinite(checked.verdict.max_error)) {
      result.max_error = checked.verdict.max_error;
      result.error_bound = checked.verdict.error_bound;
    }
    const std::size_t errors = device::found_errors() - errors_before;
    if (checked.fault.empty() && errors != 0)
      checked.fault = fmt::format("{} {} found", errors, errors == 1 ? "error" : "errors");
    result.status = checked.fault.empty() ? "pass" : "fail";
    // A checker is to see what this kernel has written, and not what the one before it has.
    spoiled_ = !checked.fault.empty() || options_.sanitize;
    return run;
  }

  const Result& common() const { return common_; }

 private:
  std::string hash_of_output() const { return fmt::format("{:016x}", data_->output_hash()); }

  device::Timing measure(const problem::Launch& launch) {
    return time_launches(launch, *data_, stream_, flush_, options_.warmup, options_.repeat);
  }

  void measure_roofs() {
    roof_ = take_roof(measure_roof(problem_.limit()));
    note_roof(common_);
    if (limited_by_arithmetic()) return;
    const auto [reads, writes] = reads_and_writes(problem_.limit());
    const double bytes_per_array = problem_.bytes(options_.shape) / (reads + writes);
    if (bytes_per_array < sizeof(float4)) return;
    common_.roof_at_size_gb_per_s =
        take_roof(measure_traffic(problem_.limit(), static_cast<std::size_t>(bytes_per_array)));
  }

  void note_roof(Result& result) const {
    (limited_by_arithmetic() ? result.roof_gflop_per_s : result.roof_gb_per_s) = roof_;
  }

  // Why a rate is no measurement; nothing if it is one. Other work on the GPU makes a probe of the
  // roof slower and never faster: where a kernel seems to be above the roof, the probe is repeated,
  // and the highest counts.
  std::string fault_above_roof(double rate, Result& result) {
    constexpr int kProbes = 3;
    std::string fault = roof_fault(rate, *roof_);
    for (int probe = 0; probe < kProbes && !fault.empty(); ++probe) {
      roof_ = std::max(*roof_, take_roof(measure_roof(problem_.limit())));
      note_roof(common_);
      note_roof(result);
      fault = roof_fault(rate, *roof_);
    }
    return fault;
  }

  double take_roof(const device::Roof& roof) {
    take_clocks(roof.timing);
    return roof.rate();
  }

  // Figures that are compared must have been measured at one clock.
  void take_clocks(const device::Timing& timing) {
    if (!timing.clocks) return;
    clocks_ = clocks_ ? clocks_->merged(*timing.clocks) : *timing.clocks;
  }

  // The fastest of the libraries' kernels, as a few launches of each tell.
  std::optional<problem::Baseline> fastest_baseline() {
    constexpr std::size_t kTrials = 5;
    std::vector<problem::Baseline> all = problem_.baselines(options_.shape);
    if (all.empty()) return {};
    if (all.size() == 1) return std::move(all.front());
    std::size_t fastest = 0;
    double least_ms = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < all.size(); ++i) {
      try {
        const double ms =
            time_launches(all[i].launch, *data_, stream_, flush_, 1, kTrials).median_ms;
        if (ms >= least_ms) continue;
        fastest = i;
        least_ms = ms;
      } catch (const std::runtime_error&) {
        // It cannot do this size after all.
      }
    }
    return std::move(all[fastest]);
  }

  void time_baseline() {
    std::string name = "the library";
    try {
      const std::optional<problem::Baseline> baseline = fastest_baseline();
      if (!baseline) return;
      name = baseline->name;
      const Checked checked = launch_and_check(baseline->launch, *data_, stream_);
      if (!checked.fault.empty()) throw std::runtime_error(checked.fault);
      const device::Timing timing = measure(baseline->launch);
      take_clocks(timing);
      common_.baseline_ms = timing.median_ms;
      common_.baseline_min_ms = timing.min_ms;
      common_.baseline_max_ms = timing.max_ms;
      common_.baseline = name;
    } catch (const std::runtime_error& error) {
      // A size that the library cannot do is no fault of our kernels.
      spoiled_ = true;
      std::fprintf(stderr, "note: no comparison with %s: %s\n", name.c_str(), error.what());
    }
  }

  void fill_common(std::string_view step) {
    int current = 0;
    CUDA_CHECK(cudaGetDevice(&current));
    common_.step = step;
    common_.backend = device::kBackendName;
    common_.device = device::info(current).name;
    for (std::size_t i = 0; i < options_.shape.size(); ++i) {
      common_.shape.emplace_back(problem_.sizes()[i].name, options_.shape[i]);
    }
    common_.bytes = problem_.bytes(options_.shape);
    const double flops = problem_.flops(options_.shape);
    if (flops > 0) common_.flops = flops;
  }

  void time(const AnyVariant& variant, Result& result, Checked& checked) {
    try {
      const device::Timing timing = measure(variant.timed);
      result.repeats = timing.repeats;
      result.median_ms = timing.median_ms;
      result.min_ms = timing.min_ms;
      result.max_ms = timing.max_ms;
      note_clocks(timing, result);
    } catch (const std::runtime_error& error) {
      checked.fault = error.what();
      return;
    }
    // The first launch was right; the last one must be too.
    checked.verdict = data_->check_output();
    checked.fault = checked.verdict.describe();
    if (*result.median_ms > 0) rate(result, checked);
  }

  // A clock that fell makes no result wrong, but its time no measurement. (A single launch is none
  // anyway, and may see a clock that is still on its way up.)
  void note_clocks(const device::Timing& timing, Result& result) const {
    if (!timing.clocks) return;
    result.sm_clock_mhz = timing.clocks->lowest;
    if (timing.repeats < 2) return;
    const std::string fault =
        clock_fault(clocks_ ? clocks_->merged(*timing.clocks) : *timing.clocks);
    if (!fault.empty()) result.measuring_error = fault;
  }

  void rate(Result& result, Checked& checked) {
    const double per_s =
        1e-6 / *result.median_ms;  // 10^9 per second from a number and milliseconds
    if (result.flops) result.gflop_per_s = *result.flops * per_s;
    if (!limited_by_arithmetic()) result.gb_per_s = result.bytes * per_s;
    if (result.baseline_ms) {
      result.percent_of_baseline = kPercent * *result.baseline_ms / *result.median_ms;
    }
    const std::optional<double>& rate =
        limited_by_arithmetic() ? result.gflop_per_s : result.gb_per_s;
    if (!roof_ || !rate) return;
    const std::string fault = fault_above_roof(*rate, result);
    result.percent_of_roof = kPercent * *rate / *roof_;
    if (result.roof_at_size_gb_per_s) {
      result.percent_of_roof_at_size = kPercent * *rate / *result.roof_at_size_gb_per_s;
    }
    if (fault.empty()) return;
    result.measuring_error = fault;
    if (checked.fault.empty()) checked.fault = fault;
  }

  bool limited_by_arithmetic() const { return problem_.limit() == problem::Limit::ffma; }

  const problem::Problem& problem_;
  const Options& options_;
  device::Stream stream_;
  device::L2Flush flush_;
  std::optional<double> roof_;            // GB/s, or GFLOP/s where arithmetic is the limit
  std::optional<device::Clocks> clocks_;  // while roof and baseline were measured
  std::optional<problem::Inputs> inputs_;
  std::optional<problem::DeviceData> data_;
  bool spoiled_ = false;
  Result common_;
};

void print_head(const Result& common, const problem::Problem& problem, const Options& options) {
  constexpr std::size_t kColumns = 80;
  const std::string title = problem.describe(options.shape) + " on " + common.device;
  std::printf("%s\n", title.substr(0, kColumns).c_str());
  const std::string head = options.counts ? CountTable::head(common.step, problem.name())
                                          : table_head(common.step, !device::kIsCpu);
  std::fputs(head.c_str(), stdout);
}

void print_foot(const Result& common, const problem::Problem& problem, const Options& options) {
  if (options.counts && !options.counters) {
    std::printf("\n%s%s", CountTable::legend(problem.name()).c_str(),
                CountTable::changes().c_str());
  }
  if (common.roof_gb_per_s) std::printf("roof: %.0f GB/s", *common.roof_gb_per_s);
  if (common.roof_gflop_per_s) std::printf("roof: %.0f GFLOP/s", *common.roof_gflop_per_s);
  if (common.baseline) {
    std::printf(", lib: %s, %.3f ms", common.baseline->c_str(), *common.baseline_ms);
  }
  if (common.roof_gb_per_s || common.roof_gflop_per_s) std::printf("\n");
}

// The lines that samples of a matrix product usually print.
void print_classic(const Runner::Run& run, const AnyVariant& variant) {
  const Result& result = run.result;
  std::printf("\n%s\n", result.variant.c_str());
  if (result.median_ms && result.gflop_per_s) {
    std::printf("Performance = %.2f GFLOP/s, Time = %.3f ms\nOperations = %.0f",
                *result.gflop_per_s, *result.median_ms, *result.flops);
    if (variant.threads > 0) std::printf(", Threads a block = %d", variant.threads);
    std::printf("\n");
  }
  // Relative to the sum of the products' absolute values.
  const double allowed = problem::kSumFactor * problem::kEps;
  const problem::Verdict& verdict = run.checked.verdict;
  const double relative = verdict.error_bound > 0
                              ? allowed * verdict.max_error / verdict.error_bound
                              : verdict.max_error;
  std::printf("Relative error = %.2g (at most %.2g): Result = %s\n", relative, allowed,
              result.status == "pass" ? "PASS" : "FAIL");
}

// Chooses the device, and refuses what cannot be run there.
int prepare(const problem::Problem& problem, const Options& options) {
  const int devices = device::count();
  if (devices == 0) {
    host::print_error(device::why_no_device());
    return host::kNoDevice;
  }
  choose_device(options.device, devices);
  if (options.action == nullptr) check_memory(problem, options);
  return host::kAllRight;
}

int run(std::string_view step, const problem::Problem& problem,
        const std::vector<AnyVariant>& variants, const Options& options) {
  if (const int code = prepare(problem, options); code != host::kAllRight) return code;
  if (options.action != nullptr) {
    options.action->run();
    return host::kAllRight;
  }

  Runner runner(step, problem, options);
  std::vector<std::pair<Runner::Run, AnyVariant>> runs;
  CountTable counts;
  if (!options.json) print_head(runner.common(), problem, options);
  int code = host::kAllRight;
  for (const std::size_t index : options.variants) {
    const AnyVariant& variant = variants[index];
    Runner::Run run = runner.run(variant);
    const std::string line = options.json ? to_json(run.result) + "\n"
                             : options.counts
                                 ? counts.row(variant.name, run.result)
                                 : table_row(variant.name, run.result, !device::kIsCpu);
    std::fputs(line.c_str(), stdout);
    if (!options.json) {
      const std::optional<std::string>& hash = run.result.output_hash;
      if (hash) std::printf("  hash of the result: %s\n", hash->c_str());
      std::fputs(run.tables.c_str(), stdout);
    }
    std::fflush(stdout);
    if (!run.checked.fault.empty()) {
      host::print_error(variant.name + ": " + run.checked.fault);
      code = host::kWrong;
    } else if (run.result.measuring_error) {
      std::fprintf(stderr, "note: %s: %s\n", variant.name.c_str(),
                   run.result.measuring_error->c_str());
    }
    runs.emplace_back(std::move(run), variant);
  }
  if (options.json) return code;
  print_foot(runner.common(), problem, options);
  if (options.by_alias) {
    for (const auto& [run, variant] : runs) print_classic(run, variant);
  }
  return code;
}

}  // namespace

int run_step(int argc, char** argv, std::string_view step, const problem::Problem& problem,
             const std::vector<AnyVariant>& variants, const std::vector<Action>& actions) {
  try {
    const Options options = parse_options(argc, argv, step, problem, variants, actions);
    if (!options.answer.empty()) {
      std::fputs(options.answer.c_str(), stdout);
      return host::checked_output(host::kAllRight);
    }
    // The checkers would add a summary to what is refused.
    if (device::kIsCpu && options.sanitize) {
      if (const int code = prepare(problem, options); code != host::kAllRight) return code;
    }
    if (options.sanitize) device::start_checking(argv);
    if (options.counts) device::start_counting(argv);
    return host::checked_output(run(step, problem, variants, options));
  } catch (const host::UsageError& error) {
    host::print_error(error.what());
    return host::kBadUsage;
  } catch (const device::Error& error) {
    host::print_error(error.what());
    return error.code() == cudaErrorMemoryAllocation ? host::kBadUsage : host::kWrong;
  } catch (const std::bad_alloc&) {
    host::print_error("out of host memory; allowed: smaller sizes");
    return host::kBadUsage;
  } catch (const std::exception& error) {
    host::print_error(error.what());
    return host::kWrong;
  }
}

}  // namespace harness
