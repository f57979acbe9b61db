#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/exercise.h"

namespace judge {

/// The judge's answer about a file.
struct Verdict {
  enum class Status { pass, fail, todo };
  Status status = Status::fail;
  /// The faults of the first failing case, the one that says most first: "memcheck
  /// (out_of_bounds)", "racecheck (race)", "result", "input", "launch", "timeout", "memory",
  /// "crash", "exit", "compile", "signature".
  std::vector<std::string> reasons;
  std::string message;  ///< a line or more that explain the reasons

  nlohmann::ordered_json run = nlohmann::ordered_json::object();     ///< the last case's record
  nlohmann::ordered_json record = nlohmann::ordered_json::object();  ///< of the end: what it shows
  std::vector<nlohmann::ordered_json> findings;  ///< of the checkers, as CUCPU_JSON has them
  std::vector<std::string> notes;                ///< what is no fault
  std::string report;                            ///< of the first finding, as the checker prints it
  std::string printed;                           ///< by the learner's file, its last lines
  std::string advice;                            ///< on what would make it faster
  std::vector<Reached> goals;                    ///< of the exercise, where it was counted
  double seconds = 0;
};

std::string_view name_of(Verdict::Status status);

/// Builds `file` and runs it on the cases of `exercise`, up to the first one that goes wrong. A
/// case may take `seconds`. On a GPU, with `sanitize`, compute-sanitizer's tools look at it, too.
/// Throws `std::runtime_error` where the judge itself cannot work.
Verdict judge_file(const Exercise& exercise, const std::filesystem::path& file,
                   const std::string& shown_as, double seconds, bool sanitize);

/// The hint that helps most with this verdict: 1, 2 or 3.
int useful_hint(const Verdict& verdict);

}  // namespace judge
