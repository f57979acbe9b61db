#include "harness/options.h"

#include <fmt/core.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "device/backend.h"
#include "device/checkers.h"
#include "device/counters.h"
#include "host/command_line.h"
#include "host/join.h"

namespace harness {
namespace {

constexpr std::size_t kMostLaunches = 1'000'000;
constexpr std::size_t kMostDevices = 1'000'000;
constexpr std::size_t kMostSeed = std::numeric_limits<std::uint64_t>::max();

std::vector<std::string> names_of(const std::vector<AnyVariant>& variants) {
  std::vector<std::string> names;
  for (const AnyVariant& variant : variants) names.push_back(variant.name);
  return names;
}

std::string option_of(std::string_view name) { return "--" + std::string(name); }

// The command line of a step.
class StepLine {
 public:
  StepLine(std::string_view step, const std::string& run_as, const problem::Problem& problem,
           const std::vector<AnyVariant>& variants, const std::vector<Action>& actions)
      : line_(std::string(step),
              device::kIsCpu ? "Runs, checks and counts the kernels of this step."
                             : "Runs, checks and times the kernels of this step.",
              run_as),
        problem_(problem),
        names_(names_of(variants)),
        actions_(actions) {
    line_.flag("--list", "print the names of the kernels, in order");
    line_.choice("--kernel", "NAME", "kernel", names_,
                 "run this kernel; may be repeated (default: all)");
    declare_sizes();
    line_.flag("--quick", "small sizes, one timed launch at most, unless told otherwise");
    line_.number("--seed", {0, kMostSeed}, "seed of the random inputs (default: 1)");
    line_.flag("--exact", "inputs with exact results, which must be right to the bit");
    if (device::kIsCpu) line_.flag("--times", "time each kernel instead of counting its accesses");
    line_.number("--repeat", {0, kMostLaunches},
                 fmt::format("timed launches (default: {})", repeats(false)));
    line_.number("--warmup", {0, kMostLaunches},
                 fmt::format("launches before the timed ones (default: {})", warmups()));
    line_.flag("--counters", device::kIsCpu ? "show all counts, per launch and source line"
                                            : "print the profiler's command for the same counts");
    line_.flag("--sanitize", device::kIsCpu
                                 ? "find bad accesses, races, unwritten memory and missed barriers"
                                 : "print the commands that find bad accesses, races and the like");
    line_.flag("--hash", "show a hash of the bits of each result, to compare runs");
    line_.flag("--json", "one JSON object per line and kernel");
    line_.number("--device", {0, kMostDevices}, "number of the device (default: 0)");
    for (const Action& action : actions) line_.flag(action.option, action.help);
  }

  Options parse(int argc, const char* const* argv) {
    line_.parse(argc, argv);
    Options options;
    const bool quick = line_.given("--quick");
    read_sizes(quick, options);
    options.variants = chosen_variants();
    options.inputs.seed = line_.number("--seed").value_or(options.inputs.seed);
    if (line_.given("--exact")) options.inputs.values = problem::Values::exact;
    options.repeat = line_.number("--repeat").value_or(repeats(quick));
    options.warmup = line_.number("--warmup").value_or(quick ? 0 : warmups());
    options.json = line_.given("--json");
    options.hash = line_.given("--hash");
    options.counters = line_.given("--counters");
    options.sanitize = line_.given("--sanitize");
    const bool timed = (device::kIsCpu && line_.given("--times")) || line_.given("--repeat") ||
                       line_.given("--warmup") || options.by_alias;
    options.counts = options.counters || (!timed && !options.sanitize && device::can_count());
    // A traced kernel's time says nothing, nor does that of one with nothing to do.
    const bool empty = std::count(options.shape.begin(), options.shape.end(), std::size_t{0}) > 0;
    if (options.counts || options.sanitize || empty) options.repeat = options.warmup = 0;
    options.device = line_.number("--device").value_or(0);
    for (const Action& action : actions_) {
      if (line_.given(action.option)) options.action = &action;
    }
    options.answer = answer(argc, argv);
    return options;
  }

 private:
  void declare_sizes() {
    for (const problem::Size& size : problem_.sizes()) {
      line_.number(option_of(size.name), {0, size.limit},
                   fmt::format("{} (default: {})", size.help, size.standard(false)));
    }
    for (const problem::Alias& alias : problem_.aliases()) {
      const problem::Size& size = problem_.sizes()[alias.size];
      line_.number(option_of(alias.option), {0, size.limit},
                   fmt::format("{}: another name for {}", alias.help, option_of(size.name)));
    }
  }

  // The text to print instead of a run; empty for a run.
  std::string answer(int argc, const char* const* argv) const {
    if (const std::string answer = line_.answer(); !answer.empty()) return answer;
    if (line_.given("--list")) return host::join(names_, "\n") + "\n";
    std::string commands;
    if (device::kIsCpu) return commands;
    const std::string run = checking_run(argc, argv);
    if (line_.given("--counters")) commands += device::profiler_command() + " " + run + "\n";
    if (line_.given("--sanitize")) commands += device::checker_commands(run);
    return commands;
  }
  // The command line for another program to start: the kernels are launched once, to be checked.
  static std::string checking_run(int argc, const char* const* argv) {
    std::string text;
    for (int i = 0; i < argc; ++i) {
      const std::string_view word = argv[i];
      if (word != "--counters" && word != "--sanitize") text += std::string(word) + " ";
    }
    return text + "--repeat 0";
  }

  static std::size_t repeats(bool quick) { return quick ? 1 : device::kIsCpu ? 3 : 20; }
  // The launch that is checked comes before these.
  static std::size_t warmups() { return device::kIsCpu ? 0 : 3; }

  void read_sizes(bool quick, Options& options) const {
    for (std::size_t i = 0; i < problem_.sizes().size(); ++i) {
      const problem::Size& size = problem_.sizes()[i];
      std::vector<std::string> given;
      if (line_.given(option_of(size.name))) given.push_back(option_of(size.name));
      for (const problem::Alias& alias : problem_.aliases()) {
        if (alias.size != i || !line_.given(option_of(alias.option))) continue;
        given.push_back(option_of(alias.option));
        options.by_alias = true;
      }
      std::size_t chosen = size.standard(quick);
      std::string option = option_of(size.name);
      if (!given.empty()) {
        option = given.front();
        chosen = *line_.number(option);
      }
      for (const std::string& other : given) {
        if (*line_.number(other) == chosen) continue;
        throw host::UsageError(fmt::format("{}: differs from {}; allowed: the same value for both",
                                           setting(other, *line_.number(other)),
                                           setting(option, chosen)));
      }
      options.shape.push_back(chosen);
      options.sizes.push_back(setting(option, chosen));
    }
  }

  std::vector<std::size_t> chosen_variants() const {
    const std::vector<std::string>& wanted = line_.values("--kernel");
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool asked = std::find(wanted.begin(), wanted.end(), names_[i]) != wanted.end();
      if (asked || wanted.empty()) chosen.push_back(i);
    }
    return chosen;
  }

  static std::string setting(const std::string& option, std::size_t value) {
    return fmt::format("{} {}", option, value);
  }

  host::CommandLine line_;
  const problem::Problem& problem_;
  std::vector<std::string> names_;
  const std::vector<Action>& actions_;
};

}  // namespace

Options parse_options(int argc, const char* const* argv, std::string_view step,
                      const problem::Problem& problem, const std::vector<AnyVariant>& variants,
                      const std::vector<Action>& actions) {
  // A step has a second program, of its known-wrong kernels.
  const std::string run_as = std::filesystem::path(argv[0]).filename().string();
  return StepLine(step, run_as, problem, variants, actions).parse(argc, argv);
}

}  // namespace harness
