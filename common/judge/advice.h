#pragma once

#include <string>

#include "judge/checking.h"
#include "judge/exercise.h"

namespace judge {

/// One sentence on what would make a right solution faster: that of the first rule (advice.cpp) to
/// which what was counted applies.
std::string advise(const Exercise& exercise, const CheckResult& result);

}  // namespace judge
