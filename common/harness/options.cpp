#include "harness/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "device/backend.h"
#include "device/checkers.h"
#include "device/counters.h"
#include "harness/exit_code.h"

namespace harness {
namespace {

constexpr std::size_t kMostLaunches = 1'000'000;
constexpr std::size_t kMostDevices = 1'000'000;
constexpr std::size_t kMostSeed = std::numeric_limits<std::uint64_t>::max();

std::string join(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string range(std::size_t limit, std::size_t least = 0) {
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(limit);
}

// The command line of a step. All values are taken as text, so that every complaint about one is
// worded here.
class CommandLine {
 public:
  CommandLine(std::string_view step, const problem::Problem& problem,
              const std::vector<AnyVariant>& variants, const std::vector<Action>& actions)
      : app_(device::kIsCpu ? "Runs, checks and counts the kernels of this step."
                            : "Runs, checks and times the kernels of this step."),
        step_(step),
        problem_(problem),
        variants_(variants),
        actions_(actions) {
    app_.set_help_flag();
    app_.allow_extras();
    app_.get_formatter()->column_width(kHelpColumn);
    flag("--list", "print the names of the kernels, in order");
    app_.add_option("--kernel", kernels_, "run this kernel; may be repeated (default: all)")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
    allowed_["--kernel"] = "one of " + join(names(), ", ");
    for (const problem::Size& size : problem.sizes()) {
      number(size.name,
             std::string(size.help) + " (default: " + std::to_string(size.standard(false)) + ")",
             size.limit);
    }
    for (const problem::Alias& alias : problem.aliases()) {
      const problem::Size& size = problem.sizes()[alias.size];
      number(alias.option,
             std::string(alias.help) + ": another name for --" + std::string(size.name),
             size.limit);
    }
    flag("--quick", "small sizes, one timed launch at most, unless told otherwise");
    number("seed", "seed of the random inputs (default: 1)", kMostSeed);
    flag("--exact", "inputs with exact results, which must be right to the bit");
    if (device::kIsCpu) flag("--times", "time each kernel instead of counting its accesses");
    number("repeat", "timed launches (default: " + std::to_string(repeats(false)) + ")",
           kMostLaunches);
    number("warmup", "launches before the timed ones (default: " + std::to_string(warmups()) + ")",
           kMostLaunches);
    flag("--counters", device::kIsCpu ? "show all counts, per launch and source line"
                                      : "print the profiler's command for the same counts");
    flag("--sanitize", device::kIsCpu
                           ? "find bad accesses, races, unwritten memory and missed barriers"
                           : "print the commands that find bad accesses, races and the like");
    flag("--hash", "show a hash of the bits of each result, to compare runs");
    flag("--json", "one JSON object per line and kernel");
    number("device", "number of the device (default: 0)", kMostDevices);
    for (const Action& action : actions) flag(action.option, action.help);
    flag("--help", "print this and exit");
    flag("--version", "print the version and exit");
  }

  Options parse(int argc, const char* const* argv) {
    refuse_flag_values(argc, argv, flags_);
    // A step has a second program, of its known-wrong kernels.
    app_.name(std::filesystem::path(argv[0]).filename().string());
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      throw UsageError(reword(error));
    }
    if (const std::vector<std::string> extras = app_.remaining(); !extras.empty()) {
      throw UsageError("'" + extras.front() +
                       "': no such option; allowed: " + join(option_names(), " "));
    }
    Options options;
    const bool quick = given("--quick");
    read_sizes(quick, options);
    options.variants = chosen_variants();
    options.inputs.seed = value("seed").value_or(options.inputs.seed);
    if (given("--exact")) options.inputs.values = problem::Values::exact;
    options.repeat = value("repeat").value_or(repeats(quick));
    options.warmup = value("warmup").value_or(quick ? 0 : warmups());
    options.json = given("--json");
    options.hash = given("--hash");
    options.counters = given("--counters");
    options.sanitize = given("--sanitize");
    const bool timed = (device::kIsCpu && given("--times")) || given("--repeat") ||
                       given("--warmup") || options.by_alias;
    options.counts = options.counters || (!timed && !options.sanitize && device::can_count());
    // A traced kernel's time says nothing, nor does that of one with nothing to do.
    const bool empty = std::count(options.shape.begin(), options.shape.end(), std::size_t{0}) > 0;
    if (options.counts || options.sanitize || empty) options.repeat = options.warmup = 0;
    options.device = value("device").value_or(0);
    for (const Action& action : actions_) {
      if (given(action.option)) options.action = &action;
    }
    options.answer = answer(argc, argv);
    return options;
  }

 private:
  // The text to print instead of a run; empty for a run.
  std::string answer(int argc, const char* const* argv) const {
    if (given("--help")) return app_.help();
    if (given("--version")) return step_ + " " + TUTORIAL_VERSION + "\n";
    if (given("--list")) return join(names(), "\n") + "\n";
    std::string commands;
    if (device::kIsCpu) return commands;
    const std::string run = checking_run(argc, argv);
    if (given("--counters")) commands += device::profiler_command() + " " + run + "\n";
    if (given("--sanitize")) commands += device::checker_commands(run);
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

  void flag(const std::string& name, const std::string& help) {
    app_.add_flag(name, help);
    flags_.push_back(name);
  }
  bool given(const std::string& name) const { return app_.count(name) > 0; }

  void number(std::string_view name, const std::string& help, std::size_t limit) {
    const std::string option = "--" + std::string(name);
    app_.add_option(option, texts_[option], help)
        ->type_name("N")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    limits_[option] = limit;
    allowed_[option] = range(limit);
  }

  std::optional<std::size_t> value(std::string_view name) const {
    const std::string option = "--" + std::string(name);
    if (!given(option)) return {};
    return parse_number(option, texts_.at(option), limits_.at(option));
  }

  void read_sizes(bool quick, Options& options) const {
    for (std::size_t i = 0; i < problem_.sizes().size(); ++i) {
      const problem::Size& size = problem_.sizes()[i];
      std::vector<std::string_view> given_names;
      if (given("--" + std::string(size.name))) given_names.push_back(size.name);
      for (const problem::Alias& alias : problem_.aliases()) {
        if (alias.size != i || !given("--" + std::string(alias.option))) continue;
        given_names.push_back(alias.option);
        options.by_alias = true;
      }
      std::size_t chosen = size.standard(quick);
      std::string_view name = size.name;
      if (!given_names.empty()) {
        name = given_names.front();
        chosen = *value(name);
      }
      for (const std::string_view other : given_names) {
        if (*value(other) == chosen) continue;
        throw UsageError(setting(other, *value(other)) + ": differs from " + setting(name, chosen) +
                         "; allowed: the same value for both");
      }
      options.shape.push_back(chosen);
      options.sizes.push_back(setting(name, chosen));
    }
  }

  std::vector<std::size_t> chosen_variants() const {
    const std::vector<std::string> all = names();
    for (const std::string& kernel : kernels_) {
      if (std::find(all.begin(), all.end(), kernel) != all.end()) continue;
      throw UsageError("--kernel '" + kernel +
                       "': no such kernel; allowed: " + allowed_.at("--kernel"));
    }
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool asked = std::find(kernels_.begin(), kernels_.end(), all[i]) != kernels_.end();
      if (asked || kernels_.empty()) chosen.push_back(i);
    }
    return chosen;
  }

  static std::string setting(std::string_view name, std::size_t value) {
    return "--" + std::string(name) + " " + std::to_string(value);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const AnyVariant& variant : variants_) all.push_back(variant.name);
    return all;
  }

  std::vector<std::string> option_names() const {
    std::vector<std::string> all;
    for (const CLI::Option* option : app_.get_options()) all.push_back(option->get_name());
    return all;
  }

  // The parser's message starts with the option's name; what it lacks is what is allowed.
  std::string reword(const CLI::ParseError& error) const {
    const std::string message = error.what();
    const std::string option = message.substr(0, message.find(':'));
    const auto allowed = allowed_.find(option);
    if (allowed == allowed_.end()) return message + "; allowed: what --help lists";
    return option + ": the value is missing; allowed: " + allowed->second;
  }

  CLI::App app_;
  std::string step_;
  const problem::Problem& problem_;
  const std::vector<AnyVariant>& variants_;
  const std::vector<Action>& actions_;
  std::vector<std::string> kernels_;
  std::vector<std::string> flags_;
  std::map<std::string, std::string> texts_;  // the value of each number option
  std::map<std::string, std::size_t> limits_;
  std::map<std::string, std::string> allowed_;
};

}  // namespace

void print_error(const std::string& what) {
  std::string line = what;
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' '; }, '?');
  std::fprintf(stderr, "error: %s\n", line.c_str());
}

int checked_output(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  // The reason for an earlier loss is gone.
  const char* const reason = errno != 0 ? std::strerror(errno) : "some of it was lost";
  print_error(std::string("the output cannot be written: ") + reason);
  return code == kAllRight ? kWrong : code;
}

void refuse_flag_values(int argc, const char* const* argv, const std::vector<std::string>& flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string name = word.substr(0, word.find('='));
    if (name == word || std::find(flags.begin(), flags.end(), name) == flags.end()) continue;
    throw UsageError(word + ": takes no value; allowed: " + name);
  }
}

std::size_t parse_number(const std::string& option, const std::string& value, std::size_t limit,
                         std::size_t least) {
  std::uint64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const std::string allowed = "; allowed: " + range(limit, least);
  if (stop != end || error == std::errc::invalid_argument) {
    const bool negative =
        value.size() > 1 && value[0] == '-' &&
        std::all_of(value.begin() + 1, value.end(), [](char c) { return c >= '0' && c <= '9'; });
    throw UsageError(option + " '" + value +
                     "': " + (negative ? "negative" : "not a whole number") + allowed);
  }
  if (error == std::errc::result_out_of_range || number > limit) {
    throw UsageError(option + " " + value + ": too large" + allowed);
  }
  if (number < least) throw UsageError(option + " " + value + ": too small" + allowed);
  return number;
}

Options parse_options(int argc, const char* const* argv, std::string_view step,
                      const problem::Problem& problem, const std::vector<AnyVariant>& variants,
                      const std::vector<Action>& actions) {
  return CommandLine(step, problem, variants, actions).parse(argc, argv);
}

}  // namespace harness
