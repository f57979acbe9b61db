#pragma once

#include <filesystem>
#include <string>

#include "judge/exercise.h"
#include "judge/verdict.h"

namespace judge {

/// A verdict in words, for people.
std::string to_text(const Exercise& exercise, const Verdict& verdict, const std::string& shown_as,
                    const std::filesystem::path& file);

/// The same as one line of JSON, without its end.
std::string to_json(const Exercise& exercise, const Verdict& verdict, const std::string& shown_as);

}  // namespace judge
