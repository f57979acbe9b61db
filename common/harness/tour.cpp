// tour: runs all steps in order, each as a process of its own, and reports them as one table.
#include <fmt/core.h>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "device/backend.h"
#include "device/info.h"
#include "harness/count_table.h"
#include "harness/program.h"
#include "harness/progress.h"
#include "harness/record.h"
#include "harness/report.h"
#include "host/command_line.h"
#include "host/program_end.h"
#include "host/program_file.h"
#include "ladder_table.h"

namespace {

struct TourOptions {
  std::string answer;  // to be printed instead of a run
  bool quick = false;
  bool json = false;
  bool times = false;
  std::string device;  // empty: the steps' default
  std::string record;  // empty: no record
};

// The numbered steps of the manifest.
std::vector<bench::Step> tour_steps() {
  std::vector<bench::Step> steps;
  for (const bench::Step& step : bench::kSteps) {
    if (step.in_tour) steps.push_back(step);
  }
  return steps;
}

TourOptions parse(int argc, char** argv) {
  host::CommandLine line("tour",
                         "Runs all steps in order, and reports their kernels as one table.");
  line.flag("--quick", "small sizes, each kernel timed once at most");
  line.flag("--json", "one JSON object per line and kernel");
  if (device::kIsCpu) line.flag("--times", "time each kernel instead of counting its accesses");
  harness::declare_device(line);
  line.text("--record", "FILE", "a file name",
            device::kIsCpu ? "time each kernel, and write results and date to FILE"
                           : "also write results, driver, toolkit, clocks and date to FILE");
  line.parse(argc, argv);
  TourOptions options = {.answer = line.answer(),
                         .quick = line.given("--quick"),
                         .json = line.given("--json"),
                         .times = device::kIsCpu && line.given("--times"),
                         .device = line.value("--device"),
                         .record = line.value("--record")};
  if (options.answer.empty()) harness::parse_device(options.device);
  if (device::kIsCpu && line.given("--record")) options.times = true;
  return options;
}

class Tour {
 public:
  explicit Tour(const TourOptions& options)
      : options_(options), record_(options.record, harness::parse_device(options.device)) {
    folder_ = host::program_file().parent_path();
  }

  int run() {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<bench::Step> steps = tour_steps();
    if (!options_.json) std::fputs(harness::device_line(options_.device).c_str(), stdout);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      progress_.set(fmt::format("[{}/{}] {} ...", i + 1, steps.size(), steps[i].name));
      run_step(steps[i]);
    }
    progress_.set("");
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (!options_.json) {
      if (counted_) std::printf("\n%s", harness::CountTable::changes().c_str());
      std::fputs(fmt::format("\n{} steps, {} kernels, {} passed, {:.1f} s\n", steps.size(),
                             kernels_, passed_, time.count())
                     .c_str(),
                 stdout);
    }
    record_.finish();
    return all_right_ ? host::kAllRight : host::kWrong;
  }

 private:
  void run_step(const bench::Step& step) {
    std::vector<std::string> command = {folder_ / step.path, "--json"};
    if (options_.quick) command.push_back("--quick");
    if (options_.times) command.push_back("--times");
    if (!options_.device.empty()) command.insert(command.end(), {"--device", options_.device});
    harness::run_program(
        step.name, command,
        [&](const harness::Result& result, const std::string& line) {
          take(step.name, result, line);
        },
        [&](const std::string& what) { complain(what); });
  }

  void take(const std::string& step, const harness::Result& result, const std::string& line) {
    record_.add(line);
    progress_.clear();
    if (options_.json) {
      std::printf("%s\n", line.c_str());
    } else {
      if (step != last_step_) begin_step(step, result);
      const std::string name = "  " + result.variant;
      const std::string row = result.counters ? counts_.row(name, result)
                                              : harness::table_row(name, result, !device::kIsCpu);
      std::fputs(row.c_str(), stdout);
    }
    std::fflush(stdout);
    progress_.show();
    last_step_ = step;
    ++kernels_;
    if (result.status == "pass") {
      ++passed_;
    } else {
      all_right_ = false;
    }
  }

  // The counts differ between problems, and need headings of their own; times have the same ones.
  void begin_step(const std::string& step, const harness::Result& first) {
    if (!first.counters && last_step_.empty()) {
      std::fputs(harness::table_head("step", !device::kIsCpu).c_str(), stdout);
    }
    if (first.counters) std::printf("\n");
    std::fputs(fmt::format("{:<{}} {}\n", step, harness::kNameWidth, harness::describe_shape(first))
                   .c_str(),
               stdout);
    if (first.counters) std::fputs(harness::CountTable::head("  kernel", first).c_str(), stdout);
    counted_ = counted_ || first.counters.has_value();
  }

  void complain(const std::string& what) {
    progress_.clear();
    host::print_error(what);
    progress_.show();
    all_right_ = false;
  }

  const TourOptions& options_;
  harness::Record record_;
  harness::Progress progress_;
  std::filesystem::path folder_;
  harness::CountTable counts_;
  bool counted_ = false;
  std::string last_step_;
  std::size_t kernels_ = 0;
  std::size_t passed_ = 0;
  bool all_right_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  return host::run_main([&] {
    const TourOptions options = parse(argc, argv);
    if (!options.answer.empty()) {
      std::fputs(options.answer.c_str(), stdout);
      return host::kAllRight;
    }
    if (device::count() == 0) {
      host::print_error(device::why_no_device());
      return host::kNoDevice;
    }
    return Tour(options).run();
  });
}
