// judge: checks a learner's solution of an exercise, and says what is wrong with it.
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "device/backend.h"
#include "device/info.h"
#include "harness/program.h"
#include "harness/record.h"
#include "host/command_line.h"
#include "host/program_end.h"
#include "host/temporary_folder.h"
#include "host/wrapped_text.h"
#include "judge/bench.h"
#include "judge/descendants.h"
#include "judge/device_choice.h"
#include "judge/exercise.h"
#include "judge/fault_finding.h"
#include "judge/folder.h"
#include "judge/grading.h"
#include "judge/options.h"
#include "judge/practice.h"
#include "judge/process.h"
#include "judge/progress.h"
#include "judge/report.h"
#include "judge/session.h"
#include "judge/supervisor.h"
#include "judge/verdict.h"

namespace {

namespace fs = std::filesystem;
using host::UsageError;
using judge::JudgeOptions;

// Neither right nor wrong: the skeleton has not been filled in.
constexpr int kTodo = 3;
// No verdict: something is missing here, of which no solution can be accused.
constexpr int kCannotJudge = 4;

void list(bool json) {
  std::string last_step;
  for (const judge::Exercise& exercise : judge::exercises()) {
    const auto folder = judge::find_folder(exercise);
    if (!folder) continue;
    const std::string progress = judge::progress_of(exercise, *folder);
    if (json) {
      std::printf("%s\n", nlohmann::ordered_json{{"exercise", exercise.name},
                                                 {"step", folder->step()},
                                                 {"progress", progress},
                                                 {"signature", exercise.signature()},
                                                 {"path", folder->path.string()}}
                              .dump()
                              .c_str());
      continue;
    }
    if (folder->step() != last_step) std::printf("%s\n", folder->step().c_str());
    last_step = folder->step();
    std::fputs(fmt::format("  {:<22} {:<10} {}\n", exercise.name, progress, exercise.title).c_str(),
               stdout);
  }
}

// As it is best to read from here.
std::string shown(const fs::path& file) {
  std::error_code error;
  const fs::path relative = fs::relative(file, fs::current_path(error), error);
  return error || relative.empty() || *relative.begin() == ".." ? file.string() : relative.string();
}

std::vector<judge::Solution> references_of(const judge::Exercise& exercise,
                                           const judge::Folder& folder) {
  std::vector<judge::Solution> solutions;
  for (const fs::path& file : folder.solutions())
    solutions.push_back({&exercise, file, shown(file)});
  return solutions;
}

std::vector<judge::Solution> all_references() {
  std::vector<judge::Solution> solutions;
  for (const judge::Exercise& exercise : judge::exercises()) {
    const auto folder = judge::find_folder(exercise);
    if (!folder) continue;
    for (judge::Solution& solution : references_of(exercise, *folder))
      solutions.push_back(std::move(solution));
  }
  return solutions;
}

void print_time(const judge::Solution& solution, const nlohmann::ordered_json& record) {
  const bool by_flops = record.contains("gflop_per_s");
  const std::string rate =
      fmt::format("{:.4g} {}", record.at(by_flops ? "gflop_per_s" : "gb_per_s").get<double>(),
                  by_flops ? "GFLOP/s" : "GB/s");
  const std::string roof = record.contains("percent_of_roof")
                               ? fmt::format("{:.1f}%", record.at("percent_of_roof").get<double>())
                               : "-";
  std::fputs(fmt::format("  {:<42} {:10.4f} {:>14} {:>6}\n", solution.file.filename().string(),
                         record.at("median_ms").get<double>(), rate, roof)
                 .c_str(),
             stdout);
}

int time_all(const JudgeOptions& options, const std::vector<judge::Solution>& solutions) try {
  harness::Record record(options.record, harness::parse_device(options.device));
  bool all_right = true;
  const judge::Exercise* headed = nullptr;  // whose times have a head already
  judge::time_solutions(solutions, [&](std::size_t i, const judge::Timed& timed) {
    const judge::Solution& solution = solutions[i];
    const std::string fault =
        timed.fault.empty() ? timed.record.value("measuring_error", "") : timed.fault;
    if (!fault.empty()) host::print_error(solution.shown_as + ": " + fault);
    all_right &= fault.empty();
    if (!timed.fault.empty()) return;
    nlohmann::ordered_json json = {{"exercise", solution.exercise->name},
                                   {"solution", solution.file.stem().string()}};
    json.update(timed.record);
    record.add(json.dump());
    if (options.json) {
      std::printf("%s\n", json.dump().c_str());
    } else {
      if (solution.exercise != headed)
        std::fputs(fmt::format("{} at {} on {}\n  {:<42} {:>10} {:>14} {:>6}\n",
                               solution.exercise->name, timed.record.at("sizes").get<std::string>(),
                               timed.record.at("device").get<std::string>(), "", "median ms",
                               "rate", "roof")
                       .c_str(),
                   stdout);
      headed = solution.exercise;
      print_time(solution, timed.record);
    }
    std::fflush(stdout);
  });
  record.finish();
  return all_right ? host::kAllRight : host::kWrong;
} catch (const host::FileFault& fault) {
  host::print_error(fault.what());
  return host::kWrong;
}

// Files of learners, each in a process of its own.
int grade(const JudgeOptions& options) {
  const judge::Exercise* const exercise =
      options.exercise.empty() ? nullptr : judge::find_exercise(options.exercise);
  const fs::path folder = options.grade;
  const std::vector<judge::Grade> grades = judge::grade(
      judge::submissions_in(folder, exercise),
      {.results = options.results.empty() ? folder / "grades.jsonl" : fs::path(options.results),
       .jobs = options.jobs,
       .seconds = options.seconds,
       .seed = options.seed,
       .json = options.json});
  if (!options.junit.empty()) {
    std::ofstream out(options.junit);
    out << judge::junit_of(grades);
    if (!out.flush()) throw judge::MachineFault(options.junit + ": cannot be written");
  }
  std::map<std::string, std::size_t> count;
  for (const judge::Grade& grade : grades) ++count[grade.at("status").get<std::string>()];
  if (!options.json)
    std::fputs(
        fmt::format("{} of {} are right, {} wrong, {} still to do, {} without a verdict\n",
                    count["pass"], grades.size(), count["fail"], count["todo"], count["error"])
            .c_str(),
        stdout);
  if (count["error"] != 0) return kCannotJudge;
  return count["pass"] == grades.size() ? host::kAllRight : host::kWrong;
}

std::uint64_t unpredictable_seed() {
  constexpr std::uint64_t kMostSeed = std::uint64_t{1} << 62;
  return judge::unpredictable() % kMostSeed;
}

// The file that comes of a Parsons problem, in messages.
constexpr const char* kYourOrder = "your order";

class Judging {
 public:
  explicit Judging(const JudgeOptions& options)
      : options_(options), exercise_(*judge::find_exercise(options.exercise)) {
    const auto folder = judge::find_folder(exercise_);
    if (!folder) throw std::runtime_error(options.exercise + ": its folder is not there");
    folder_ = *folder;
    file_ = options.file.empty() ? folder_.skeleton() : fs::path(options.file);
    shown_as_ = options.file.empty() ? shown(file_) : options.file;
  }

  int practice() const {
    const auto solution = judge::FadedSolution::find(exercise_, folder_);
    if (!solution)
      throw UsageError("'" + options_.exercise + "': has no faded solution; allowed: " + faded());
    if (!options_.order.empty()) return judge_order(*solution);
    std::fputs((options_.parsons ? solution->parsons() : solution->faded(options_.fade)).c_str(),
               stdout);
    return host::kAllRight;
  }

  void print_hint() const { std::fputs(folder_.hint(options_.hint).c_str(), stdout); }

  int judge_once() const {
    const judge::Verdict verdict = judged();
    judge::remember(exercise_, folder_, file_, verdict);
    return tell(verdict, file_);
  }

  [[noreturn]] void watch() const {
    while (true) {
      const auto judged = last_change();
      judge_once();
      if (!options_.json) std::printf("\nwatching %s (Ctrl-C ends it)\n\n", shown_as_.c_str());
      std::fflush(stdout);
      while (last_change() == judged || !fs::exists(file_)) {
        constexpr useconds_t kPause = 100'000;
        usleep(kPause);
        judge::check_interruption();
      }
    }
  }

  // Times the file, unless it is still to be written, and the reference solutions.
  int bench() const {
    std::vector<judge::Solution> solutions;
    if (!judge::benches_on_cpu()) solutions = references_of(exercise_, folder_);
    const bool is_reference = std::any_of(
        solutions.begin(), solutions.end(),
        [&](const judge::Solution& solution) { return fs::equivalent(solution.file, file_); });
    if (!is_reference) {
      const judge::Verdict verdict = judged();
      if (verdict.status == judge::Verdict::Status::fail) {
        std::fputs(judge::to_text(exercise_, verdict, shown_as_, file_).c_str(), stdout);
        return host::kWrong;
      }
      if (verdict.status == judge::Verdict::Status::pass)
        solutions.insert(solutions.begin(), {&exercise_, file_, shown_as_});
    }
    return time_all(options_, solutions);
  }

 private:
  // The exercises that have faded solutions.
  static std::string faded() {
    std::string names;
    for (const judge::Exercise& exercise : judge::exercises())
      if (const auto folder = judge::find_folder(exercise);
          folder && judge::FadedSolution::find(exercise, *folder))
        names += (names.empty() ? "" : ", ") + std::string(exercise.name);
    return names;
  }

  // The lines of the Parsons problem, as a file.
  int judge_order(const judge::FadedSolution& solution) const {
    const std::size_t lines = solution.lines();
    std::vector<std::size_t> sorted = options_.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < std::max(lines, sorted.size()); ++i)
      if (i >= lines || i >= sorted.size() || sorted[i] != i + 1)
        throw UsageError(
            fmt::format("--order: is not each line once; allowed: 1 to {}, in any order", lines));
    const host::TemporaryFolder folder("order");
    const fs::path file = folder.path() / (options_.exercise + ".cu");
    std::ofstream(file) << solution.ordered(options_.order);
    return tell(judge::judge_file(exercise_, {file, kYourOrder}, settings()), file);
  }

  int tell(const judge::Verdict& verdict, const fs::path& file) const {
    const std::string shown_as = file == file_ ? shown_as_ : kYourOrder;
    const std::string text = options_.json ? judge::to_json(exercise_, verdict, shown_as) + "\n"
                                           : judge::to_text(exercise_, verdict, shown_as, file);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    switch (verdict.status) {
      case judge::Verdict::Status::pass:
        return host::kAllRight;
      case judge::Verdict::Status::todo:
        return kTodo;
      default:
        return host::kWrong;
    }
  }

  judge::Verdict judged() const {
    return judge::judge_file(exercise_, {file_, shown_as_}, settings());
  }

  judge::JudgeSettings settings() const {
    return {.seconds = static_cast<double>(options_.seconds),
            .sanitize = options_.sanitize,
            .seed = options_.seed.value_or(unpredictable_seed()),
            .drawing = options_.draw};
  }

  fs::file_time_type last_change() const {
    std::error_code error;
    return fs::last_write_time(file_, error);
  }

  const JudgeOptions& options_;
  const judge::Exercise& exercise_;
  judge::Folder folder_;
  fs::path file_;
  std::string shown_as_;
};

// A reader's guess at the fault of a wrong kernel.
int find(const JudgeOptions& options) {
  const judge::Guess guess = judge::read_guess(options.find);
  if (options.hint != 0 || guess.line == 0) {
    const std::string text =
        options.hint != 0 ? judge::hint_for(guess, options.hint) : judge::task_of(guess);
    std::fputs(text.c_str(), stdout);
    return host::kAllRight;
  }
  const judge::Reply reply = judge::reply_to(guess);
  if (options.json)
    std::printf("%s\n", nlohmann::ordered_json{{"step", reply.step},
                                               {"status", reply.is_right() ? "pass" : "fail"},
                                               {"line", reply.line},
                                               {"kind", reply.kind},
                                               {"message", reply.message}}
                            .dump()
                            .c_str());
  else
    std::fputs((reply.step + (reply.is_right() ? ": right\n" : ": not yet\n") +
                host::wrapped(reply.message))
                   .c_str(),
               stdout);
  return reply.is_right() ? host::kAllRight : host::kWrong;
}

int run(const JudgeOptions& options) {
  if (options.list) {
    list(options.json);
    return host::kAllRight;
  }
  if (!options.find.empty()) return find(options);
  const int device = harness::parse_device(options.device);
  const bool prints_only = options.hint != 0 || options.fade != 0 || options.parsons;
  if (!prints_only && device::count() == 0) {
    host::print_error(device::why_no_device());
    return host::kNoDevice;
  }
  if (!options.device.empty() && !prints_only) judge::choose_device(device);
  if (options.hint == 0) judge::require_sight_of_processes();
  if (!options.grade.empty()) return grade(options);
  if (options.exercise.empty()) return time_all(options, all_references());
  const Judging judging(options);
  if (options.fade != 0 || options.parsons || !options.order.empty()) return judging.practice();
  if (options.hint != 0) {
    judging.print_hint();
    return host::kAllRight;
  }
  if (options.watch) judging.watch();
  return options.bench ? judging.bench() : judging.judge_once();
}

int say_that_it_cannot_judge(const JudgeOptions& options, const std::string& why) {
  using Json = nlohmann::ordered_json;
  if (options.json) {
    const Json json = {{"exercise", options.exercise}, {"status", "error"}, {"message", why}};
    std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  }
  host::print_error(why);
  return kCannotJudge;
}

// A verdict that nobody can read is none.
int output_or_no_verdict(int code) {
  return host::checked_output(host::kAllRight) == host::kAllRight ? code : kCannotJudge;
}

// In the process that does the work.
int run_guarded(const JudgeOptions& options) {
  judge::obey_interruptions();
  try {
    return output_or_no_verdict(run(options));
  } catch (const judge::Interrupted& interrupted) {
    // Everything has been cleared away: end as the signal would have it.
    std::signal(interrupted.signal, SIG_DFL);
    std::raise(interrupted.signal);
    return kCannotJudge;
  } catch (const UsageError& error) {
    host::print_error(error.what());
    return host::kBadUsage;
  } catch (const std::exception& error) {
    return say_that_it_cannot_judge(options, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  JudgeOptions options;
  try {
    options = judge::parse(argc, argv);
    if (!options.answer.empty()) {
      std::fputs(options.answer.c_str(), stdout);
      return output_or_no_verdict(host::kAllRight);
    }
    return judge::supervise([&] { return run_guarded(options); });
  } catch (const UsageError& error) {
    host::print_error(error.what());
    return host::kBadUsage;
  } catch (const std::exception& error) {
    return say_that_it_cannot_judge(options, error.what());
  }
}
