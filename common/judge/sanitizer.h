#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace judge {

/// compute-sanitizer's tools, under the names that the CPU's checkers have, too.
inline constexpr const char* kSanitizerTools[] = {"memcheck", "racecheck", "initcheck",
                                                  "synccheck"};

/// The output of one of compute-sanitizer's tools.
struct SanitizerOutput {
  std::vector<nlohmann::ordered_json> findings;  ///< as CUCPU_JSON has them, each once
  std::string first_report;                      ///< its lines
};
SanitizerOutput read_sanitizer(const std::string& tool, const std::string& output);

}  // namespace judge
