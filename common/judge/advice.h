#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace judge {

/// One line on what would make a right solution faster: the first of these that its counters show.
/// Uncoalesced accesses, atomics, bank conflicts, data read again and again, launches or blocks
/// with too little to do, accesses narrower than they could be. `launches` is what CUCPU_JSON has
/// of them; `elements` and `bytes` are the exercise's: the length of its first array, and what has
/// to move at least.
std::string advise(const nlohmann::ordered_json& launches, double elements, double bytes);

}  // namespace judge
