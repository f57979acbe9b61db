#include "judge/drawing.h"

#include <fmt/core.h>

#include "judge/checking.h"

namespace judge {

namespace fs = std::filesystem;

std::string draw(const Exercise& exercise, const Verdict& verdict, const fs::path& program,
                 const fs::path& folder, const JudgeSettings& settings, const fs::path& file) {
  const CaseName& last = verdict.check.last;
  if (last.number == 0) return "nothing was drawn: no case was run";
  // A case that a kernel is only launched for comes after all that are run.
  const CaseName& name = verdict.check.fault && verdict.check.fault->name.number <= last.number
                             ? verdict.check.fault->name
                             : last;
  // The solution never sees the file's own place.
  const fs::path drawn = folder / "drawing.html";
  const RunnerSettings runner{.command = {program.string()},
                              .environment = {{"CUCPU_DRAW", drawn.string()}},
                              .tools = "",
                              .seconds = settings.seconds,
                              .memory_bytes = kMemoryToJudge,
                              .seed = settings.seed,
                              .first_case = name.number,
                              .last_case = name.number};
  check(exercise, runner);
  const std::string of =
      fmt::format("case {} ({})", name.number, exercise.describe(name.run.sizes));
  std::error_code error;
  if (!fs::exists(drawn, error))
    return "nothing was drawn: the process does not come to its end in " + of;
  fs::copy_file(drawn, file, fs::copy_options::overwrite_existing, error);
  if (error) throw MachineFault(file.string() + ": cannot be written: " + error.message());
  return of + " is drawn in " + file.string();
}

}  // namespace judge
