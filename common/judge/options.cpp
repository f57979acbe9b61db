#include "judge/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "device/backend.h"
#include "harness/options.h"
#include "judge/exercise.h"
#include "judge/session.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using harness::UsageError;

constexpr const char* kExplanation =
    R"(Builds a solution of an exercise, runs it on edge cases, random and special
values, and says what is wrong with it. FILE is the exercise's own file
(steps/.../exercises/EXERCISE/EXERCISE.cu) unless another one is named.

Exit codes: 0 right, 1 wrong, 2 bad usage, 3 still to do, 4 no verdict (no
compiler, a full disk), 77 no device.)";

std::string names() {
  std::string text;
  for (const Exercise& exercise : exercises())
    text += (text.empty() ? "" : ", ") + std::string(exercise.name);
  return text;
}

bool has_drawings() { return device::kIsCpu && JUDGE_WATCHES; }

}  // namespace

bool benches_on_cpu() { return std::getenv("JUDGE_BENCH_ON_CPU") != nullptr; }

JudgeOptions parse(int argc, char** argv) {
  constexpr std::size_t kHints = 3, kMostSeconds = 3600;
  JudgeOptions options;
  std::string hint, seconds, seed;
  bool help = false, version = false;
  CLI::App app(kExplanation, "judge");
  app.set_help_flag();
  app.allow_extras();
  app.get_formatter()->column_width(harness::kHelpColumn);
  app.add_option("EXERCISE", options.exercise, "what to judge")->type_name("");
  app.add_option("FILE", options.file, "a solution of it")->type_name("");
  app.add_flag("--list", options.list, "the exercises, and which are solved");
  const CLI::Option* hinted =
      app.add_option("--hint", hint, "print hint 1, 2 or 3")->type_name("N")->take_last();
  app.add_flag("--watch", options.watch, "judge again whenever the file is saved");
  app.add_flag("--bench", options.bench,
               "on a GPU: time it, and the reference solutions;\n"
               "without EXERCISE: those of all exercises");
  const CLI::Option* drawn =
      app.add_option("--draw", options.draw,
                     "on a CPU: draw what the warps ask memory for, a page of HTML")
          ->type_name("FILE")
          ->take_last();
  app.add_flag("--sanitize", options.sanitize,
               device::kIsCpu ? "for a GPU; here its checks are always made"
                              : "also run compute-sanitizer's tools, some seconds each");
  app.add_flag("--json", options.json, "one JSON object per line, for each verdict or time");
  const CLI::Option* recorded =
      app.add_option("--record", options.record,
                     "with --bench: also write times, driver, clocks and date to it")
          ->type_name("FILE")
          ->take_last();
  const CLI::Option* timed =
      app.add_option("--timeout", seconds, "seconds that a case may take (default: 10)")
          ->type_name("N")
          ->take_last();
  const CLI::Option* seeded =
      app.add_option("--seed", seed, "make the same inputs again (default: others each time)")
          ->type_name("S")
          ->take_last();
  app.add_flag("--help", help, "print this and exit");
  app.add_flag("--version", version, "print the version and exit");
  harness::refuse_flag_values(
      argc, argv, {"--list", "--watch", "--bench", "--sanitize", "--json", "--help", "--version"});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string message = error.what();
    const bool file = message.starts_with("--record") || message.starts_with("--draw");
    throw UsageError(message.substr(0, message.find(':')) + ": the value is missing; allowed: " +
                     (file ? "a file name" : "a whole number"));
  }
  if (help) options.answer = app.help();
  if (version) options.answer = std::string("judge ") + TUTORIAL_VERSION + "\n";
  if (!options.answer.empty()) return options;
  if (!app.remaining().empty()) {
    const std::string word = app.remaining().front();
    if (!word.starts_with("-"))
      throw UsageError("'" + word + "': one file too many; allowed: EXERCISE [FILE]");
    throw UsageError(
        "'" + word +
        "': no such option; allowed: --list --hint --watch --bench --draw --sanitize --json "
        "--record --timeout --seed --help --version");
  }
  if (hinted->count() > 0)
    options.hint = static_cast<int>(harness::parse_number("--hint", hint, kHints, 1));
  if (timed->count() > 0)
    options.seconds = harness::parse_number("--timeout", seconds, kMostSeconds, 1);
  constexpr std::size_t kMostSeed = std::size_t{1} << 62;
  options.seed = seeded->count() > 0 ? harness::parse_number("--seed", seed, kMostSeed)
                                     : unpredictable() % kMostSeed;
  if (recorded->count() > 0 && !options.bench)
    throw UsageError("--record " + options.record + ": there are no times; allowed: with --bench");
  if (drawn->count() > 0 && !has_drawings())
    throw UsageError("--draw " + options.draw +
                     ": nobody sees what kernels do here; allowed: in a build folder of the cpu "
                     "backend, by g++");
  // So that no solution is overwritten by mistake.
  if (drawn->count() > 0 && fs::path(options.draw).extension() != ".html")
    throw UsageError("--draw " + options.draw + ": is no page; allowed: a name that ends in .html");
  if (options.list) return options;
  if (options.exercise.empty() && !options.bench)
    throw UsageError("no exercise is named; allowed: EXERCISE [FILE], or --list to see them");
  if (!options.exercise.empty() && find_exercise(options.exercise) == nullptr)
    throw UsageError("'" + options.exercise + "': no such exercise; allowed: " + names());
  if (!options.file.empty() && !fs::is_regular_file(options.file))
    throw UsageError("'" + options.file + "': no such file; allowed: a .cu file");
  if (options.bench && device::kIsCpu && !benches_on_cpu())
    throw UsageError(
        "--bench: times on a CPU say nothing about a GPU; allowed: in a build folder "
        "of the cuda backend");
  return options;
}

}  // namespace judge
