#pragma once

#include <nlohmann/json.hpp>

namespace judge {

/// Reads what the environment tells the runtime, if it has not been read yet.
void settle();

/// From here to `take_counts`, what launches do is counted.
void start_counting();

/// A JSON object for each launch, as CUCPU_JSON has it, and `tables`, the same as text.
struct Counts {
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();
  std::string tables;
};
/// Those of the launches since the last call; goes on counting.
Counts take_counts();

/// Errors that the checkers have found so far.
std::size_t found_errors();

}  // namespace judge
