// bench: measures all kernels at all recorded sizes, and compares them with the goals.
#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/goals.h"
#include "bench/map_program.h"
#include "bench/map_report.h"
#include "device/backend.h"
#include "device/info.h"
#include "harness/child.h"
#include "harness/program.h"
#include "harness/progress.h"
#include "harness/record.h"
#include "harness/report.h"
#include "host/command_line.h"
#include "host/join.h"
#include "host/program_end.h"
#include "host/program_file.h"
#include "ladder_table.h"

namespace {

constexpr std::size_t kMostRuns = 1000;
constexpr std::size_t kMostShapes = 100'000;
constexpr std::size_t kMostSeconds = 86'400;
constexpr std::size_t kQuickShapes = 3;

// Shapes drawn at random instead of the recorded sizes.
struct MapOptions {
  std::size_t seed = 1;
  std::size_t shapes = 200;  // per operator
  std::size_t seconds = 60;  // for an operator, at most
};

struct BenchOptions {
  std::string answer = {};  // to be printed instead of a run
  std::vector<bench::Step> programs = {};
  std::size_t runs = 1;
  bool quick = false;
  bool json = false;
  std::string device = {};  // empty: the programs' default
  std::string record = {};  // empty: no record
  std::string goals = {};   // a record to be judged instead of a run
  std::optional<MapOptions> map = {};
  std::vector<harness::Result> peers = {};
};

// The programs to measure, in order: the roofs of the device, then the steps.
std::vector<bench::Step> all_programs() {
  std::vector<bench::Step> all = {
      {.name = "roofs", .path = "roofs", .sizes = {{}}, .everywhere = {}}};
  all.insert(all.end(), bench::kSteps.begin(), bench::kSteps.end());
  return all;
}

// The programs whose names start with one of `wanted`; all, where nothing is wanted.
std::vector<bench::Step> chosen(const std::vector<std::string>& wanted) {
  std::string names;
  std::vector<bool> used(wanted.size(), false);
  std::vector<bench::Step> programs;
  for (const bench::Step& program : all_programs()) {
    names += (names.empty() ? "" : ", ") + program.name;
    bool take = wanted.empty();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (program.name.rfind(wanted[i], 0) != 0) continue;
      take = used[i] = true;
    }
    if (take) programs.push_back(program);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (used[i]) continue;
    throw host::UsageError("--only '" + wanted[i] + "': no such program; allowed: " + names +
                           ", or the beginning of a name");
  }
  return programs;
}

// The options of the map; nothing without `--map`.
std::optional<MapOptions> map_options(const host::CommandLine& line) {
  MapOptions map;
  if (line.given("--quick")) map.shapes = kQuickShapes;
  const std::pair<const char*, std::size_t*> numbers[] = {
      {"--seed", &map.seed}, {"--shapes", &map.shapes}, {"--seconds", &map.seconds}};
  for (const auto& [option, number] : numbers) {
    if (!line.given(option)) continue;
    if (!line.given("--map")) {
      throw host::UsageError(std::string(option) + ": measures nothing; allowed: with --map");
    }
    *number = *line.number(option);
  }
  if (!line.given("--map")) return {};
  return map;
}

BenchOptions parse(int argc, char** argv) {
  host::CommandLine line("bench",
                         "Measures all kernels at all recorded sizes, and compares them with the "
                         "goals.");
  line.texts("--only", "NAME", "the beginning of a program's name",
             "only programs whose names begin with NAME; may be repeated");
  line.number("--runs", {1, kMostRuns}, "number of times to run everything (default: 1)");
  line.text("--record", "FILE", "a file name",
            "write results, driver, toolkit, clocks, date, commit to FILE");
  line.text("--peers", "FILE", "a file name",
            "the record of softmax_peers.py: our softmax beside others");
  line.text("--goals", "FILE", "a file name",
            "measure nothing; compare the record FILE with the goals");
  line.flag("--quick", "one small size of each program, timed once");
  line.flag("--map", "kernels and libraries at shapes drawn at random, instead");
  line.number("--seed", {1, std::numeric_limits<std::uint32_t>::max()},
              "of the map's shapes (default: 1)");
  line.number("--shapes", {1, kMostShapes}, "of the map, for each operator (default: 200)");
  line.number("--seconds", {1, kMostSeconds},
              "for each operator of the map, at most (default: 60)");
  line.flag("--json", "one JSON object per line and result, and no goals");
  harness::declare_device(line);
  line.parse(argc, argv);
  BenchOptions options = {.answer = line.answer(),
                          .quick = line.given("--quick"),
                          .json = line.given("--json"),
                          .device = line.value("--device"),
                          .record = line.value("--record"),
                          .goals = line.value("--goals")};
  if (!options.answer.empty()) return options;
  options.programs = chosen(line.values("--only"));
  options.runs = line.number("--runs").value_or(1);
  if (line.given("--peers")) options.peers = bench::read_results("--peers", line.value("--peers"));
  harness::parse_device(options.device);
  options.map = map_options(line);
  return options;
}

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options), record_(options.record, harness::parse_device(options.device)) {
    folder_ = host::program_file().parent_path();
  }

  int run() {
    const auto start = std::chrono::steady_clock::now();
    if (!options_.json) std::fputs(harness::device_line(options_.device).c_str(), stdout);
    for (std::size_t run = 1; run <= options_.runs; ++run) {
      run_ = static_cast<int>(run);
      if (!options_.json) std::fputs(harness::table_head(title(), !device::kIsCpu).c_str(), stdout);
      for (const bench::Step& program : options_.programs) measure(program);
    }
    progress_.set("");
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (!options_.json) {
      std::fputs(fmt::format("\n{} results, {} of them no measurement or wrong, {:.0f} s\n\n",
                             results_.size() + refused_, refused_, time.count())
                     .c_str(),
                 stdout);
      if (!options_.quick) std::fputs(bench::goal_table(results_, options_.peers).c_str(), stdout);
    }
    record_.finish();
    return all_right_ ? host::kAllRight : host::kWrong;
  }

 private:
  std::string title() const {
    return options_.runs == 1 ? "bench" : fmt::format("run {} of {}", run_, options_.runs);
  }

  void measure(const bench::Step& program) {
    const std::string path = folder_ / program.path;
    if (options_.quick) {
      std::vector<std::string> command = {path, "--quick"};
      if (device::kIsCpu && program.name != "roofs") command.emplace_back("--times");
      return run_program(program, command, "small");
    }
    for (std::size_t i = 0; i < program.sizes.size(); ++i) {
      std::vector<std::string> command = {path};
      command.insert(command.end(), program.sizes[i].begin(), program.sizes[i].end());
      if (program.repeats > 0) {
        command.insert(command.end(), {"--repeat", std::to_string(program.repeats)});
      }
      if (i > 0) {
        for (const std::string& kernel : program.everywhere) {
          command.insert(command.end(), {"--kernel", kernel});
        }
      }
      run_program(program, command, host::join(program.sizes[i], " "));
    }
  }

  void run_program(const bench::Step& program, std::vector<std::string> command,
                   const std::string& size) {
    progress_.set(program.name + " " + size + " ...");
    command.push_back("--json");
    if (!options_.device.empty()) command.insert(command.end(), {"--device", options_.device});
    harness::run_program(
        program.name + " " + size, command,
        [&](const harness::Result& result, const std::string& line) { take(result, line); },
        [&](const std::string& what) { complain(what); });
  }

  void take(const harness::Result& result, const std::string& line) {
    progress_.clear();
    if (options_.json) {
      std::printf("%s\n", line.c_str());
    } else {
      const std::string shape = harness::describe_shape(result);
      if (!shape.empty() && result.step + shape != last_heading_) {
        std::fputs(fmt::format("{:<{}} {}\n", result.step, harness::kNameWidth, shape).c_str(),
                   stdout);
        last_heading_ = result.step + shape;
      }
      std::fputs(harness::table_row("  " + result.variant, result, !device::kIsCpu).c_str(),
                 stdout);
      if (result.measuring_error) {
        std::printf("    not recorded: %s\n", result.measuring_error->c_str());
      }
    }
    std::fflush(stdout);
    progress_.show();
    if (result.status == "pass" && !result.measuring_error) {
      record_.add(line, run_);
      results_.push_back(result);
    } else {
      ++refused_;
      all_right_ = false;
    }
  }

  void complain(const std::string& what) {
    progress_.clear();
    host::print_error(what);
    progress_.show();
    all_right_ = false;
  }

  const BenchOptions& options_;
  harness::Record record_;
  harness::Progress progress_;
  std::filesystem::path folder_;
  std::string last_heading_;
  std::vector<harness::Result> results_;
  std::size_t refused_ = 0;
  int run_ = 1;
  bool all_right_ = true;
};

// An operator of the map, its step, and the kernel that stands for ours.
struct Mapped {
  std::string program, step, kernel;
};
const std::vector<Mapped> kMapped = {
    {"map_sgemm", "12_sgemm_warptile_zorder", "sgemm_tuned"},
    {"map_reduce", "05_reduce_warp_shuffle", "reduce_dependent"},  // the same bits in every run
    {"map_transpose", "08_transpose_shared", "transpose"},
    {"map_gemv", "gemv", "gemv"},
    {"map_softmax", "06_softmax_warp", "softmax"}};

class Map {
 public:
  explicit Map(const BenchOptions& options)
      : options_(options), record_(options.record, harness::parse_device(options.device)) {
    folder_ = host::program_file().parent_path();
  }

  int run() {
    if (!options_.json) std::fputs(harness::device_line(options_.device).c_str(), stdout);
    for (const Mapped& mapped : kMapped) {
      const auto is_its_step = [&](const bench::Step& step) { return step.name == mapped.step; };
      const auto& chosen = options_.programs;
      if (std::any_of(chosen.begin(), chosen.end(), is_its_step)) measure(mapped);
    }
    record_.finish();
    return all_right_ ? host::kAllRight : host::kWrong;
  }

 private:
  void measure(const Mapped& mapped) {
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = static_cast<double>(options_.map->seconds);
    std::vector<std::string> lines;
    harness::ChildEnd end = measure(mapped, seconds, lines, {});
    // Most likely a peer failed; the program goes on from that shape, and tries it without peers.
    while (end.code == bench::kDeviceFailed) {
      const std::size_t from = lines.size();
      const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
      const double left = std::max(seconds - past.count(), 0.0);
      end = measure(mapped, left, lines, {std::to_string(from)});
      if (lines.size() == from) break;
    }
    const bench::MapReport report(mapped.program, lines);
    if (!options_.json) std::fputs(report.text(options_.map->shapes).c_str(), stdout);
    std::fflush(stdout);
    if (!end.problem.empty() || end.code != 0 || end.signal != 0) {
      host::print_error(mapped.program + ": " + (end.problem.empty() ? "failed" : end.problem));
      all_right_ = false;
    }
    all_right_ = all_right_ && report.wrong() == 0;
  }

  // Adds to `lines` what a map program prints. `more`: arguments behind the usual ones.
  harness::ChildEnd measure(const Mapped& mapped, double seconds, std::vector<std::string>& lines,
                            const std::vector<std::string>& more) {
    std::vector<std::string> command = {folder_ / mapped.program,
                                        std::to_string(options_.map->seed),
                                        std::to_string(options_.map->shapes),
                                        std::to_string(seconds),
                                        options_.device.empty() ? "0" : options_.device,
                                        mapped.kernel};
    command.insert(command.end(), more.begin(), more.end());
    return harness::run_child(command, [&](const std::string& line) {
      record_.add(line);
      lines.push_back(line);
      if (options_.json) std::printf("%s\n", line.c_str());
    });
  }

  const BenchOptions& options_;
  harness::Record record_;
  std::filesystem::path folder_;
  bool all_right_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  return host::run_main([&] {
    const BenchOptions options = parse(argc, argv);
    if (!options.answer.empty()) {
      std::fputs(options.answer.c_str(), stdout);
      return host::kAllRight;
    }
    if (!options.goals.empty()) {
      const std::vector<harness::Result> results = bench::read_results("--goals", options.goals);
      std::fputs(bench::goal_table(results, options.peers).c_str(), stdout);
      return host::kAllRight;
    }
    if (device::kIsCpu && !options.quick) {
      host::print_error("bench measures a GPU, and this is built for the CPU; --quick tries it");
      return host::kNoDevice;
    }
    if (device::count() == 0) {
      host::print_error(device::why_no_device());
      return host::kNoDevice;
    }
    if (options.map) return Map(options).run();
    return Bench(options).run();
  });
}
