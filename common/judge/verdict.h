#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/build.h"
#include "judge/checking.h"
#include "judge/exercise.h"

namespace judge {

/// The judge's verdict on a file.
struct Verdict {
  enum class Status { pass, fail, todo };
  Status status = Status::fail;
  /// The faults of the first failing case, the one that says most first: "memcheck
  /// (out_of_bounds)", "racecheck (race)", "result", "input", "launch", "timeout", "memory",
  /// "crash", "exit", "compile", "signature", "forged".
  std::vector<std::string> reasons;
  std::string diagnosis;  ///< a sentence on the mistake behind the reasons; may be empty
  std::string message;    ///< a line or more that explain the reasons

  CheckResult check;                             ///< what the cases showed
  std::vector<nlohmann::ordered_json> findings;  ///< of the checkers, as CUCPU_JSON has them
  std::vector<std::string> notes;                ///< what is no fault
  std::string report;                            ///< of the first finding, as the checker prints it
  std::string printed;                           ///< by the learner's file, its last lines
  std::string advice;                            ///< on what would make it faster
  std::vector<Reached> goals;                    ///< of the exercise, where it was counted
  double seconds = 0;
};

/// That a solution may take.
inline constexpr std::size_t kMemoryToJudge = std::size_t{4} << 30;

/// How to judge.
struct JudgeSettings {
  double seconds = 10;                 ///< that a case may take
  bool sanitize = false;               ///< on a GPU: compute-sanitizer's tools look at it, too
  std::uint64_t seed = 0;              ///< of the inputs
  std::filesystem::path drawing = {};  ///< where to draw a case's requests; empty: nowhere
};

std::string_view name_of(Verdict::Status status);

/// The first wrong element, as a learner's file has it.
std::string got_text(const Exercise& exercise, const Mismatch& mismatch);

/// Builds `source` and runs it on the cases of `exercise`, up to the first one that goes wrong.
/// Throws `MachineFault` where the judge itself cannot work.
Verdict judge_file(const Exercise& exercise, const Source& source, const JudgeSettings& settings);

/// The same for a program that has been built of `source`, which its compiler calls `name`; with
/// `environment` for it beside ours. `folder` takes what is needed on the way.
Verdict judge_program(const Exercise& exercise, const Source& source,
                      const std::filesystem::path& name, const std::filesystem::path& program,
                      const std::vector<std::pair<std::string, std::string>>& environment,
                      const std::filesystem::path& folder, const JudgeSettings& settings);

/// The hint that helps most with this verdict: 1, 2 or 3.
int useful_hint(const Verdict& verdict);

}  // namespace judge
