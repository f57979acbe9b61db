#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/exercise.h"

namespace judge {

/// One line on what would make a right solution faster: the first of these that its counters show.
/// Too few threads, uncoalesced accesses, atomics, bank conflicts, accesses below a word, data read
/// again and again, many launches, and, where memory is the limit, accesses that could be wider.
/// `launches` is what CUCPU_JSON has of them; `elements` and `bytes` are the exercise's: the length
/// of its first array, and what has to move at least.
std::string advise(const Exercise& exercise, const nlohmann::ordered_json& launches,
                   double elements, double bytes);

/// How far the launches are from the exercise's goals. A device's own copies do not count.
std::vector<Reached> goals_of(const Exercise& exercise, const nlohmann::ordered_json& launches,
                              const Sizes& sizes, double elements, double bytes);

}  // namespace judge
