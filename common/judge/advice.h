#pragma once

#include <string>
#include <vector>

#include "judge/checking.h"
#include "judge/exercise.h"

namespace judge {

/// One sentence on what would make a right solution faster: that of the first rule (advice.cpp) to
/// which what was counted applies.
std::string advise(const Exercise& exercise, const CheckResult& result);

/// How far the launches are from the exercise's goals. A device's own copies do not count.
std::vector<Reached> goals_of(const Exercise& exercise, const CheckResult& result);

}  // namespace judge
