#pragma once

#include <filesystem>
#include <string>

#include "judge/exercise.h"
#include "judge/folder.h"
#include "judge/verdict.h"

namespace judge {

/// The state of an exercise so far: "solved", "wrong", "todo", or "not judged" for a file
/// that has changed since. Kept in the folder that JUDGE_PROGRESS in the environment names, or else
/// in the build folder.
std::string progress_of(const Exercise& exercise, const Folder& folder);

/// Remembers a verdict on a learner's file; what passes once stays solved for as long as that file
/// is as it was.
void remember(const Exercise& exercise, const Folder& folder, const std::filesystem::path& file,
              const Verdict& verdict);

}  // namespace judge
