#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "judge/exercise.h"

namespace judge {

/// Something is missing where the judge runs, of which no solution can be accused: a compiler,
/// room on the disk, memory.
struct MachineFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A learner's file as the compiler is to see it.
struct Source {
  std::filesystem::path file;
  std::string shown_as;  ///< in messages
};

/// The result of compiling learners' files.
struct BuildResult {
  std::string reason = {};   ///< "compile", "signature" or "forged" if they cannot be used
  std::string message = {};  ///< what to say then: about the learner's lines; else the warnings
  /// What the compiler calls the files, where their own names are more than it can take.
  std::vector<std::filesystem::path> names = {};
};

/// Compiles files, each of which is to define solve as `exercise` has it, and links them with the
/// runner into `program`; the environment's JUDGE_SOLUTION says which one of several it runs.
/// `folder` takes what is needed on the way. Throws `MachineFault`.
///
/// The compiler sees the file as the learner wrote it, followed by questions about solve: is it
/// there, of this type, and `extern "C"`? Each question's answer is an error of the compiler, in a
/// file whose name is the question.
BuildResult build(const Exercise& exercise, const std::vector<Source>& sources,
                  const std::filesystem::path& folder, const std::filesystem::path& program);

}  // namespace judge
