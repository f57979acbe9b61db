#pragma once

#include <nlohmann/json.hpp>

namespace judge {

/// Whether this process watches what kernels do: a traced one of the CPU backend.
bool is_watching();

/// From here to `take_counts`, what launches do is counted.
void start_counting();

/// A JSON object for each launch, as CUCPU_JSON has it, and `tables`, the same as text.
struct Counts {
  nlohmann::ordered_json launches = nlohmann::ordered_json::array();
  std::string tables;
};
Counts take_counts();

/// Errors that the checkers have found so far.
std::size_t found_errors();

}  // namespace judge
