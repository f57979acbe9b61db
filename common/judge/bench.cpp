#include "judge/bench.h"

#include <stdexcept>

#include "host/temporary_folder.h"
#include "judge/build.h"
#include "judge/process.h"
#include "problem/parallel.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kSecondsToTime = 120;

Timed time_program(const Exercise& exercise, const fs::path& program) {
  Timed timed{"solve ends the process", {}};
  const auto take = [&](const std::string& line) {
    const Json record = Json::parse(line, nullptr, false);
    if (record.is_discarded()) return;
    if (record.value("event", "") == "bench") {
      timed = {"", record};
      timed.record.erase("event");
    } else if (record.contains("reasons")) {
      const auto reason = record.at("reasons").at(0).get<std::string>();
      timed.fault = record.value(reason, reason);
    }
  };
  const ProcessEnd end = run_process({program.string(), std::string(exercise.name), "bench"}, {},
                                     {.all_seconds = kSecondsToTime}, take);
  if (!end.problem.empty()) throw std::runtime_error(end.problem);
  if (end.stopped != ProcessEnd::Stopped::no)
    timed.fault = "stopped after " + std::to_string(kSecondsToTime) + " s";
  return timed;
}

}  // namespace

void time_solutions(const std::vector<Solution>& solutions,
                    const std::function<void(std::size_t index, const Timed& timed)>& on_time) {
  const host::TemporaryFolder folder("judge");
  const auto folder_of = [&](std::size_t i) { return folder.path() / std::to_string(i); };
  std::vector<BuildResult> built(solutions.size());
  problem::parallel_for(solutions.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Solution& solution = solutions[i];
      fs::create_directory(folder_of(i));
      built[i] = build(*solution.exercise, solution.file, solution.shown_as, folder_of(i),
                       folder_of(i) / "solution");
    }
  });
  for (std::size_t i = 0; i < solutions.size(); ++i)
    on_time(i, built[i].reason.empty()
                   ? time_program(*solutions[i].exercise, folder_of(i) / "solution")
                   : Timed{built[i].message, {}});
}

}  // namespace judge
