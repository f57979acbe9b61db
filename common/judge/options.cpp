#include "judge/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "device/backend.h"
#include "harness/options.h"
#include "judge/exercise.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using harness::UsageError;

constexpr std::size_t kHints = 3, kFades = 3, kMostSeconds = 3600, kMostJobs = 1024;
constexpr std::size_t kMostSeed = std::size_t{1} << 62;

constexpr const char* kExplanation =
    R"(Builds a solution to an exercise, runs it on edge cases, random and special
values, and says what is wrong with it. The default FILE is the exercise's own,
steps/.../exercises/EXERCISE/EXERCISE.cu.

Exit codes: 0 right, 1 wrong, 2 bad usage, 3 still to do, 4 no verdict (no
compiler, a full disk), 77 no device.)";

std::string names() {
  std::string text;
  for (const Exercise& exercise : exercises())
    text += (text.empty() ? "" : ", ") + std::string(exercise.name);
  return text;
}

bool has_drawings() { return device::kIsCpu && JUDGE_WATCHES; }

const std::vector<std::string> kFlags = {"--list",     "--watch", "--bench", "--parsons",
                                         "--sanitize", "--json",  "--help",  "--version"};

// Values as they were typed, of options that take a number.
struct Typed {
  std::string hint, seconds, seed, jobs, fade, order;
  bool help = false, version = false;
};

void add_text(CLI::App& app, const char* name, std::string& value, const char* type,
              const char* help) {
  app.add_option(name, value, help)->type_name(type)->take_last();
}

void add_judging(CLI::App& app, JudgeOptions& options, Typed& typed) {
  app.add_option("EXERCISE", options.exercise, "the exercise's name")->type_name("");
  app.add_option("FILE", options.file, "the solution")->type_name("");
  app.add_flag("--list", options.list, "list the exercises, and those that are solved");
  add_text(app, "--hint", typed.hint, "N", "print hint 1, 2 or 3");
  app.add_flag("--watch", options.watch, "judge again whenever the file is saved");
  app.add_flag("--bench", options.bench,
               "on a GPU: time the solution beside the reference solutions;\n"
               "without EXERCISE: time the reference solutions of all");
  add_text(app, "--draw", options.draw, "FILE",
           "on a CPU: draw what warps ask memory for, a page of HTML");
  app.add_flag("--sanitize", options.sanitize,
               device::kIsCpu ? "for a GPU; on the CPU the checkers always run"
                              : "also run compute-sanitizer's tools, a few seconds each");
  app.add_flag("--json", options.json, "one JSON object per line, for each verdict or time");
  add_text(app, "--record", options.record, "FILE",
           "with --bench: also write times, driver, clocks, date to FILE");
  add_text(app, "--timeout", typed.seconds, "N", "seconds that a case may take (default: 10)");
  add_text(app, "--seed", typed.seed, "S", "make the inputs of seed S again (default: new ones)");
}

void add_practice(CLI::App& app, JudgeOptions& options, Typed& typed) {
  add_text(app, "--fade", typed.fade, "N",
           "print a solution to complete: 1 three lines are missing,\n2 ten, 3 all of them");
  app.add_flag("--parsons", options.parsons, "print the lines of a solution, out of order");
  add_text(app, "--order", typed.order, "N,N,...", "judge those lines in this order");
  app.add_option("--find", options.find,
                 "say which line of a step's wrong/find_me.cuh is wrong,\n"
                 "and in which way: --find 04 FILE:LINE KIND; --find 04 alone\nsays more")
      ->type_name("STEP")
      ->expected(1, 3);
}

void add_grading(CLI::App& app, JudgeOptions& options, Typed& typed) {
  add_text(app, "--grade", options.grade, "FOLDER",
           "judge a file per learner: LEARNER.cu in FOLDER, with EXERCISE;\n"
           "or EXERCISE/LEARNER.cu, without");
  add_text(app, "--results", options.results, "FILE",
           "with --grade: what is graded already, and what is now\n"
           "(default: grades.jsonl in FOLDER)");
  add_text(app, "--junit", options.junit, "FILE", "with --grade: also write a JUnit report");
  add_text(app, "--jobs", typed.jobs, "N", "with --grade: files at a time (default: one per core)");
}

[[noreturn]] void refuse_missing_value(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return option.starts_with(name); });
  };
  const char* const allowed = is_one_of({"--record", "--draw", "--results", "--junit"})
                                  ? "a file name"
                              : is_one_of({"--grade"}) ? "a folder"
                              : is_one_of({"--order"}) ? "numbers of lines"
                              : is_one_of({"--find"})  ? "STEP [FILE:LINE KIND]"
                                                       : "a whole number";
  throw UsageError(option + ": the value is missing; allowed: " + allowed);
}

void refuse_rest(const CLI::App& app) {
  if (app.remaining().empty()) return;
  const std::string word = app.remaining().front();
  if (!word.starts_with("-"))
    throw UsageError("'" + word + "': one file too many; allowed: EXERCISE [FILE]");
  throw UsageError(
      "'" + word +
      "': no such option; allowed: --list --hint --watch --bench --draw --sanitize --json "
      "--record --timeout --seed --fade --parsons --order --find --grade --results --junit --jobs "
      "--help --version");
}

std::vector<std::size_t> read_order(const std::string& text) {
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream in(spaced);
  std::vector<std::size_t> order;
  constexpr std::size_t kMostLines = 999;
  for (std::string word; in >> word;)
    order.push_back(harness::parse_number("--order", word, kMostLines, 1));
  if (order.empty()) throw UsageError("--order: the value is missing; allowed: numbers of lines");
  return order;
}

void read_numbers(const CLI::App& app, const Typed& typed, JudgeOptions& options) {
  const auto number = [&](const char* name, const std::string& text, std::size_t most,
                          std::size_t least, std::size_t otherwise) {
    return app.count(name) > 0 ? harness::parse_number(name, text, most, least) : otherwise;
  };
  options.hint = static_cast<int>(number("--hint", typed.hint, kHints, 1, 0));
  options.fade = static_cast<int>(number("--fade", typed.fade, kFades, 1, 0));
  options.seconds = number("--timeout", typed.seconds, kMostSeconds, 1, options.seconds);
  options.jobs =
      number("--jobs", typed.jobs, kMostJobs, 1, std::max(1u, std::thread::hardware_concurrency()));
  if (app.count("--seed") > 0)
    options.seed = harness::parse_number("--seed", typed.seed, kMostSeed);
  if (app.count("--order") > 0) options.order = read_order(typed.order);
}

void refuse_options_that_mean_nothing(const CLI::App& app, const JudgeOptions& options) {
  if (app.count("--record") > 0 && !options.bench)
    throw UsageError("--record " + options.record + ": there are no times; allowed: with --bench");
  for (const char* name : {"--results", "--junit", "--jobs"})
    if (app.count(name) > 0 && options.grade.empty())
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
    throw UsageError("'" + options.exercise + "': no such exercise; allowed: " + names());
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
  JudgeOptions options;
  Typed typed;
  CLI::App app(kExplanation, "judge");
  app.set_help_flag();
  app.allow_extras();
  app.get_formatter()->column_width(harness::kHelpColumn);
  add_judging(app, options, typed);
  add_practice(app, options, typed);
  add_grading(app, options, typed);
  app.add_flag("--help", typed.help, "print this and exit");
  app.add_flag("--version", typed.version, "print the version and exit");
  harness::refuse_flag_values(argc, argv, kFlags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    refuse_missing_value(error.what());
  }
  if (typed.help) options.answer = app.help();
  if (typed.version) options.answer = std::string("judge ") + TUTORIAL_VERSION + "\n";
  if (!options.answer.empty()) return options;
  refuse_rest(app);
  read_numbers(app, typed, options);
  refuse_options_that_mean_nothing(app, options);
  if (options.list || !options.find.empty()) return options;
  refuse_missing(options);
  return options;
}

}  // namespace judge
