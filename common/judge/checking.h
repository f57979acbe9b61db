#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/comparison.h"
#include "judge/exercise.h"
#include "judge/process.h"

namespace judge {

/// A case as it is named to a learner.
struct CaseName {
  std::size_t number = 0, of = 0;
  Case run;
};

/// A fault of a case: the names of the checks, and what there is to say.
struct Fault {
  CaseName name;
  std::vector<std::pair<std::string, std::string>> reasons;  ///< and their texts
  std::optional<Mismatch> mismatch;                          ///< of the output
  bool has_findings = false;  ///< the checkers found something, which they say themselves
  bool is_untouched = false;  ///< all memory is as it was before, and nothing failed
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();  ///< of this case

  bool is_one() const { return !reasons.empty() || mismatch || has_findings; }
};

/// The outcome of all cases, up to the first one that went wrong.
struct CheckResult {
  CaseName last;               ///< the last case that was begun
  std::optional<Fault> fault;  ///< the first that counts
  std::size_t cases = 0;       ///< that were run
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();  ///< of the last case
  std::string tables;                                                 ///< the same as text
  std::map<std::string, double> largest_block;  ///< threads, by kernel, in any case
  ProcessEnd end;
  bool has_ended_early = false;  ///< the process is no more, though it was to go on
};

/// How the runner is started, and what it may take.
struct RunnerSettings {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string tools;   ///< the checkers that have to watch
  /// Checkers or compute-sanitizer see accesses outside arrays and reads of what was never written:
  /// there are no red zones, and outputs are left as they were allocated.
  bool is_watched = false;
  double seconds = 0;  ///< that a case may take
  std::size_t memory_bytes = 0;
  std::uint64_t seed = 0;
  std::size_t first_case = 1;
  std::size_t last_case = 0;  ///< after which it is enough; 0: all of them
};

/// Runs the solution on all cases of `exercise`. Every value that is compared, and whatever it is
/// compared with, is in this process.
CheckResult check(const Exercise& exercise, const RunnerSettings& settings);

}  // namespace judge
