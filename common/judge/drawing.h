#pragma once

#include <filesystem>
#include <string>

#include "judge/exercise.h"
#include "judge/verdict.h"

namespace judge {

/// Runs the case that `verdict` is about once more, and draws what its warps ask memory for: a page
/// in `file`. `program` is the solution's, and `folder` takes what is needed on the way. Returns
/// a note on what was drawn, or why nothing was. Throws `MachineFault` where `file` cannot be
/// written.
std::string draw(const Exercise& exercise, const Verdict& verdict,
                 const std::filesystem::path& program, const std::filesystem::path& folder,
                 const JudgeSettings& settings, const std::filesystem::path& file);

}  // namespace judge
