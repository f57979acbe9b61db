// tour: runs all steps in order, each as a process of its own, and reports them as one table.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/backend.h"
#include "device/info.h"
#include "harness/child.h"
#include "harness/exit_code.h"
#include "harness/options.h"
#include "harness/report.h"

namespace {

struct TourOptions {
  std::string answer;  // to be printed instead of a run
  bool quick = false;
  bool json = false;
  std::string device;  // empty: the steps' default
  std::string record;  // empty: no record
};

// The build system names the steps, with commas between.
std::vector<std::string> step_names() { return CLI::detail::split(TOUR_STEPS, ','); }

TourOptions parse(int argc, char** argv) {
  TourOptions options;
  CLI::App app("Runs all steps in order, and reports their kernels as one table.", "tour");
  app.set_help_flag();
  app.allow_extras();
  app.get_formatter()->column_width(harness::kHelpColumn);
  app.add_flag("--quick", options.quick, "small sizes, each kernel timed once");
  app.add_flag("--json", options.json, "one JSON object a line for each kernel");
  CLI::Option* device = app.add_option("--device", options.device, "which device (default: 0)")
                            ->type_name("N")
                            ->take_last();
  CLI::Option* record = app.add_option("--record", options.record,
                                       "also write results, driver, toolkit, clocks and date to it")
                            ->type_name("FILE")
                            ->take_last();
  bool help = false, version = false;
  app.add_flag("--help", help, "print this and exit");
  app.add_flag("--version", version, "print the version and exit");
  harness::refuse_flag_values(argc, argv, {"--quick", "--json", "--help", "--version"});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string message = error.what();
    const bool file = message.rfind("--record", 0) == 0;
    throw harness::UsageError(
        message.substr(0, message.find(':')) +
        ": the value is missing; allowed: " + (file ? "a file name" : "a whole number"));
  }
  if (help) options.answer = app.help();
  if (version) options.answer = std::string("tour ") + TUTORIAL_VERSION + "\n";
  if (!options.answer.empty()) return options;
  if (!app.remaining().empty()) {
    throw harness::UsageError("'" + app.remaining().front() +
                              "': no such option; allowed: --quick --json --device --record --help "
                              "--version");
  }
  if (device->count() > 0) {
    const int devices = device::count();
    const std::size_t most = devices > 0 ? static_cast<std::size_t>(devices) - 1 : 0;
    harness::parse_number("--device", options.device, most);
  }
  if (record->count() > 0 && options.record.empty()) {
    throw harness::UsageError("--record '': no file name; allowed: a file name");
  }
  return options;
}

// Which step is running, on a terminal only: one line below the table, which leaves no trace.
class Progress {
 public:
  void set(const std::string& text) {
    clear();
    text_ = text;
    show();
  }
  // Between these two, other lines may be printed.
  void clear() const { put("\r\033[K"); }
  void show() const { put(text_); }

 private:
  void put(const std::string& text) const {
    if (terminal_) std::fputs(text.c_str(), stderr);
  }

  const bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::string text_;
};

// Writes results to a file as they come, with what is needed to judge them later.
class Record {
 public:
  explicit Record(const TourOptions& options) {
    if (options.record.empty()) return;
    file_.open(options.record);
    if (!file_) {
      throw harness::UsageError("--record " + options.record + ": " + std::strerror(errno) +
                                "; allowed: a file that can be written");
    }
    const int index = options.device.empty() ? 0 : std::stoi(options.device);
    const device::Info info = device::info(index);
    circumstances_["driver"] = device::driver_version();
    circumstances_["toolkit"] = device::toolkit_version();
    circumstances_["clock_mhz"] = info.clock_mhz;
    circumstances_["memory_clock_mhz"] = info.memory_clock_mhz;
    circumstances_["date"] = today();
  }

  void add(const std::string& line) {
    if (!file_.is_open()) return;
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(line);
    json.update(circumstances_);
    file_ << json.dump() << '\n' << std::flush;
  }

 private:
  static std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[] = "YYYY-MM-DD";
    std::strftime(text, sizeof text, "%F", std::gmtime(&now));
    return text;
  }

  std::ofstream file_;
  nlohmann::ordered_json circumstances_;
};

class Tour {
 public:
  explicit Tour(const TourOptions& options) : options_(options), record_(options) {
    folder_ = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "steps";
  }

  int run() {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<std::string> steps = step_names();
    if (!options_.json) std::fputs(harness::table_head("step", !device::kIsCpu).c_str(), stdout);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      progress_.set("[" + std::to_string(i + 1) + "/" + std::to_string(steps.size()) + "] " +
                    steps[i] + " ...");
      run_step(steps[i]);
    }
    progress_.set("");
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (!options_.json) {
      std::printf("\n%zu steps, %zu kernels, %zu passed, %.1f s\n", steps.size(), kernels_, passed_,
                  time.count());
    }
    return all_right_ ? harness::kAllRight : harness::kWrong;
  }

 private:
  void run_step(const std::string& step) {
    std::vector<std::string> command = {folder_ / step / step, "--json"};
    if (options_.quick) command.push_back("--quick");
    if (!options_.device.empty()) command.insert(command.end(), {"--device", options_.device});

    const std::size_t kernels_before = kernels_;
    const harness::ChildEnd end =
        harness::run_child(command, [&](const std::string& line) { take(step, line); });
    if (!end.problem.empty()) {
      complain(end.problem);
    } else if (end.signal != 0) {
      complain(step + ": ended by signal " + std::to_string(end.signal));
    } else if (end.code != 0) {
      complain(step + ": exit code " + std::to_string(end.code));
    } else if (kernels_ == kernels_before) {
      complain(step + ": reported no kernel");
    }
  }

  void take(const std::string& step, const std::string& line) {
    harness::Result result;
    try {
      result = harness::from_json(line);
    } catch (const std::runtime_error& error) {
      return complain(step + ": " + error.what());
    }
    record_.add(line);
    progress_.clear();
    if (options_.json) {
      std::printf("%s\n", line.c_str());
    } else {
      if (step != last_step_) {
        std::printf("%-*s %s\n", harness::kNameWidth, step.c_str(),
                    harness::describe_shape(result).c_str());
      }
      std::fputs(harness::table_row("  " + result.variant, result, !device::kIsCpu).c_str(),
                 stdout);
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

  void complain(const std::string& what) {
    progress_.clear();
    harness::print_error(what);
    progress_.show();
    all_right_ = false;
  }

  const TourOptions& options_;
  Record record_;
  Progress progress_;
  std::filesystem::path folder_;
  std::string last_step_;
  std::size_t kernels_ = 0;
  std::size_t passed_ = 0;
  bool all_right_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const TourOptions options = parse(argc, argv);
    if (!options.answer.empty()) {
      std::fputs(options.answer.c_str(), stdout);
      return harness::kAllRight;
    }
    if (device::count() == 0) {
      harness::print_error("no CUDA device was found");
      return harness::kNoDevice;
    }
    return Tour(options).run();
  } catch (const harness::UsageError& error) {
    harness::print_error(error.what());
    return harness::kBadUsage;
  } catch (const std::exception& error) {
    harness::print_error(error.what());
    return harness::kWrong;
  }
}
