#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/exercise.h"

namespace judge {

/// A right solution, and what it is called.
struct Solution {
  const Exercise* exercise;
  std::filesystem::path file;
  std::string shown_as;
};

/// How fast a solution is.
struct Timed {
  std::string fault;  ///< why there is no time; else empty
  nlohmann::ordered_json record;
};

/// Times the solutions on a GPU, one after the other, once all of them have been built: nothing
/// else runs then. Calls `on_time` with the index of each, and what came of it.
void time_solutions(const std::vector<Solution>& solutions,
                    const std::function<void(std::size_t index, const Timed& timed)>& on_time);

}  // namespace judge
