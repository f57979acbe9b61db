#include <cucpu/trace.h>

#include <stdexcept>
#include <vector>

#include "device/counters.h"

namespace device {

void start_counting(char* const* arguments) {
  if (!cucpu::trace::is_traced()) throw std::runtime_error(cucpu::trace::become_traced(arguments));
  cucpu::trace::start_counting();
}

Counts take_counts() {
  Counts counts;
  cucpu::trace::Counters sum;
  const std::vector<cucpu::trace::LaunchCounters> launches = cucpu::trace::take_counters();
  for (const cucpu::trace::LaunchCounters& launch : launches) sum += launch.counters;
  counts.tables = cucpu::trace::tables(launches);
  counts.json = cucpu::trace::to_json(sum);
  return counts;
}

}  // namespace device
