#pragma once

#include <string>

#include "judge/exercise.h"
#include "judge/verdict.h"

namespace judge {

/// One sentence on the mistake that a wrong solution makes most likely, from what the checkers
/// found, which elements are wrong, and what was launched: that of the first rule (diagnosis.cpp)
/// that applies. Empty where none does. `source` is the text of the learner's file.
std::string diagnose(const Exercise& exercise, const Verdict& verdict, const std::string& source);

}  // namespace judge
