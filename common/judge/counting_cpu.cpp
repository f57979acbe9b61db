#include <cucpu/trace.h>

#include "judge/counting.h"

namespace judge {

void settle() { cucpu::trace::is_checking(); }

void start_counting() { cucpu::trace::start_counting(); }

Counts take_counts() {
  Counts counts;
  const std::vector<cucpu::trace::LaunchCounters> launches = cucpu::trace::take_counters();
  for (const cucpu::trace::LaunchCounters& launch : launches)
    counts.launches.push_back(nlohmann::ordered_json::parse(cucpu::trace::to_json(launch)));
  counts.tables = cucpu::trace::tables(launches);
  return counts;
}

std::size_t found_errors() { return cucpu::trace::found_errors(); }

}  // namespace judge
