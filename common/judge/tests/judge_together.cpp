// judge_together EXERCISE FILE...: judges many files that are compiled as one, each with the same
// inputs, and prints a verdict for each as `judge --json` does.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "host/temporary_folder.h"
#include "judge/build.h"
#include "judge/exercise.h"
#include "judge/report.h"
#include "judge/supervisor.h"
#include "judge/verdict.h"

namespace {

namespace fs = std::filesystem;

int judge_all(const judge::Exercise& exercise, const std::vector<judge::Source>& sources) {
  constexpr double kSeconds = 4;
  const host::TemporaryFolder folder("judge");
  const fs::path program = folder.path() / "solutions";
  const judge::BuildResult built = judge::build(exercise, sources, folder.path(), program);
  if (!built.reason.empty()) {
    std::fprintf(stderr, "%s", built.message.c_str());
    return 1;
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const fs::path place = folder.path() / std::to_string(i);
    fs::create_directory(place);
    const judge::Verdict verdict = judge::judge_program(
        exercise, sources[i], built.names[i], program, {{"JUDGE_SOLUTION", std::to_string(i)}},
        place, {.seconds = kSeconds, .seed = 1});
    std::printf("%s\n", judge::to_json(exercise, verdict, sources[i].shown_as).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const judge::Exercise* const exercise = argc > 2 ? judge::find_exercise(argv[1]) : nullptr;
  if (exercise == nullptr) {
    std::fprintf(stderr, "error: EXERCISE FILE... expected\n");
    return 2;
  }
  std::vector<judge::Source> sources;
  for (int i = 2; i < argc; ++i) sources.push_back({argv[i], argv[i]});
  try {
    return judge::supervise([&] { return judge_all(*exercise, sources); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
