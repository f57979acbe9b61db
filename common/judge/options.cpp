#include "judge/options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "device/backend.h"
#include "harness/program.h"
#include "host/command_line.h"
#include "judge/exercise.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using host::UsageError;

constexpr std::size_t kHints = 3, kFades = 3, kMostSeconds = 3600, kMostJobs = 1024;
constexpr std::size_t kSeconds = 10;
constexpr std::size_t kMostSeed = std::size_t{1} << 62;

constexpr const char* kFileName = "a file name";
constexpr const char* kExplanation =
    R"(Builds a solution to an exercise, runs it on edge cases, random and special
values, and says what is wrong with it. The default FILE is the exercise's own,
steps/.../exercises/EXERCISE/EXERCISE.cu.

Exit codes: 0 right, 1 wrong, 2 bad usage, 3 still to do, 4 no verdict (no
compiler, a full disk), 77 no device.)";

bool has_drawings() { return device::kIsCpu && JUDGE_WATCHES; }

void declare_judging(host::CommandLine& line) {
  line.operand("EXERCISE", "the exercise's name");
  line.operand("FILE", "the solution");
  line.flag("--list", "list the exercises, and those that are solved");
  line.number("--hint", {1, kHints}, "print hint 1, 2 or 3");
  line.flag("--watch", "judge again whenever the file is saved");
  line.flag("--bench",
            "on a GPU: time the solution beside the reference solutions;\n"
            "without EXERCISE: time the reference solutions of all");
  line.text("--draw", "FILE", kFileName,
            "on a CPU: draw what warps ask memory for, a page of HTML");
  line.flag("--sanitize", device::kIsCpu
                              ? "for a GPU; on the CPU the checkers always run"
                              : "also run compute-sanitizer's tools, a few seconds each");
  line.flag("--json", "one JSON object per line, for each verdict or time");
  line.text("--record", "FILE", kFileName,
            "with --bench: also write times, driver, clocks, date to FILE");
  line.number("--timeout", {1, kMostSeconds}, "seconds that a case may take (default: 10)");
  line.number("--seed", {0, kMostSeed}, "make the inputs of seed S again (default: new ones)", "S");
  harness::declare_device(line);
}

void declare_practice(host::CommandLine& line) {
  line.number("--fade", {1, kFades},
              "print a solution to complete: 1 three lines are missing,\n2 ten, 3 all of them");
  line.flag("--parsons", "print the lines of a solution, out of order");
  line.text("--order", "N,N,...", "numbers of lines", "judge those lines in this order");
  line.words("--find", 3, "STEP", "STEP [FILE:LINE KIND]",
             "say which line of a step's wrong/find_me.cuh is wrong,\n"
             "and in which way: --find 04 FILE:LINE KIND; --find 04 alone\nsays more");
}

void declare_grading(host::CommandLine& line) {
  line.text("--grade", "FOLDER", "a folder",
            "judge a file per learner: LEARNER.cu in FOLDER, with EXERCISE;\n"
            "or EXERCISE/LEARNER.cu, without");
  line.text("--results", "FILE", kFileName,
            "with --grade: what is graded already, and what is now\n"
            "(default: grades.jsonl in FOLDER)");
  line.text("--junit", "FILE", kFileName, "with --grade: also write a JUnit report");
  line.number("--jobs", {1, kMostJobs}, "with --grade: files at a time (default: one per core)");
}

std::vector<std::size_t> read_order(const std::string& text) {
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream in(spaced);
  std::vector<std::size_t> order;
  constexpr std::size_t kMostLines = 999;
  for (std::string word; in >> word;)
    order.push_back(host::parse_number("--order", word, {1, kMostLines}));
  if (order.empty()) throw UsageError("--order: the value is missing; allowed: numbers of lines");
  return order;
}

JudgeOptions options_of(const host::CommandLine& line) {
  const auto number = [&](const char* name, std::size_t otherwise) {
    return line.number(name).value_or(otherwise);
  };
  return {.answer = line.answer(),
          .exercise = line.value("EXERCISE"),
          .file = line.value("FILE"),
          .list = line.given("--list"),
          .hint = static_cast<int>(number("--hint", 0)),
          .watch = line.given("--watch"),
          .bench = line.given("--bench"),
          .sanitize = line.given("--sanitize"),
          .json = line.given("--json"),
          .device = line.value("--device"),
          .draw = line.value("--draw"),
          .fade = static_cast<int>(number("--fade", 0)),
          .parsons = line.given("--parsons"),
          .order = line.given("--order") ? read_order(line.value("--order"))
                                         : std::vector<std::size_t>(),
          .find = line.values("--find"),
          .grade = line.value("--grade"),
          .results = line.value("--results"),
          .junit = line.value("--junit"),
          .jobs = number("--jobs", std::max(1u, std::thread::hardware_concurrency())),
          .record = line.value("--record"),
          .seconds = number("--timeout", kSeconds),
          .seed = line.number("--seed")};
}

void refuse_options_that_mean_nothing(const host::CommandLine& line, const JudgeOptions& options) {
  if (!options.find.empty() && !options.exercise.empty())
    throw UsageError("'" + options.exercise +
                     "': one word too many; allowed: --find STEP [FILE:LINE KIND]");
  if (line.given("--record") && !options.bench)
    throw UsageError("--record " + options.record + ": there are no times; allowed: with --bench");
  for (const char* name : {"--results", "--junit", "--jobs"})
    if (line.given(name) && options.grade.empty())
      throw UsageError(std::string(name) + ": nothing is graded; allowed: with --grade FOLDER");
  if (options.draw.empty()) return;
  if (!has_drawings())
    throw UsageError("--draw " + options.draw +
                     ": nobody sees what kernels do here; allowed: in a build folder of the cpu "
                     "backend, by g++");
  // So that no solution is overwritten by mistake.
  if (fs::path(options.draw).extension() != ".html")
    throw UsageError("--draw " + options.draw + ": is no page; allowed: a name that ends in .html");
}

void refuse_missing(const JudgeOptions& options) {
  if (options.exercise.empty() && !options.bench && options.grade.empty())
    throw UsageError("no exercise is named; allowed: EXERCISE [FILE], or --list to see them");
  if (!options.exercise.empty() && find_exercise(options.exercise) == nullptr)
    throw UsageError("'" + options.exercise +
                     "': no such exercise; allowed: those that --list shows");
  if (!options.file.empty() && !fs::is_regular_file(options.file))
    throw UsageError("'" + options.file + "': no such file; allowed: a .cu file");
  if (!options.grade.empty() && !fs::is_directory(options.grade))
    throw UsageError("--grade " + options.grade + ": no such folder; allowed: a folder");
  if (!options.grade.empty() && !options.file.empty())
    throw UsageError("'" + options.file +
                     "': one file too many; allowed: [EXERCISE] --grade FOLDER");
  if (options.bench && device::kIsCpu && !benches_on_cpu())
    throw UsageError(
        "--bench: times on a CPU say nothing about a GPU; allowed: in a build folder "
        "of the cuda backend");
}

}  // namespace

bool benches_on_cpu() { return std::getenv("JUDGE_BENCH_ON_CPU") != nullptr; }

JudgeOptions parse(int argc, char** argv) {
  host::CommandLine line("judge", kExplanation);
  declare_judging(line);
  declare_practice(line);
  declare_grading(line);
  line.parse(argc, argv);
  const JudgeOptions options = options_of(line);
  if (!options.answer.empty()) return options;
  refuse_options_that_mean_nothing(line, options);
  if (options.list || !options.find.empty()) return options;
  refuse_missing(options);
  return options;
}

}  // namespace judge
