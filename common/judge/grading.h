#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "judge/exercise.h"

namespace judge {

/// A learner's file to be graded.
struct Submission {
  std::string exercise, learner;  ///< the file's name without .cu
  std::filesystem::path file;
};

/// The .cu files of `folder`: of one exercise; or, where that is null, those in folders that are
/// named like exercises. Sorted. Throws `host::UsageError` for a folder that has none, or has
/// folders of other names.
std::vector<Submission> submissions_in(const std::filesystem::path& folder,
                                       const Exercise* exercise);

/// How to grade.
struct GradeSettings {
  std::filesystem::path results;      ///< what was graded before, and what is now: a line each
  std::size_t jobs = 1;               ///< files that are judged at a time
  std::size_t seconds = 10;           ///< that a case may take
  std::optional<std::uint64_t> seed;  ///< of the inputs, the same for all; none: as before, or any
  bool json = false;                  ///< print lines of JSON
};

/// A submission's grade: what `judge --json` says of it, behind "learner", "hash" and "seed".
using Grade = nlohmann::ordered_json;

/// Judges the submissions, each in a process of its own, but those whose grade is in the results
/// already; prints each grade, and adds it there, when it is known. In the order of the
/// submissions.
std::vector<Grade> grade(const std::vector<Submission>& submissions, const GradeSettings& settings);

/// As a report that CI services read.
std::string junit_of(const std::vector<Grade>& grades);

}  // namespace judge
