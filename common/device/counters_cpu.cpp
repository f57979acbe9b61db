#include <cucpu/trace.h>

#include <stdexcept>

#include "device/counters.h"

namespace device {

void start_counting(char* const* arguments) {
  if (!cucpu::trace::is_traced()) throw std::runtime_error(cucpu::trace::become_traced(arguments));
  cucpu::trace::start_counting();
}

Counts take_counts() {
  Counts counts;
  cucpu::trace::Counters sum;
  for (const cucpu::trace::LaunchCounters& launch : cucpu::trace::take_counters()) {
    sum += launch.counters;
    counts.tables += cucpu::trace::table(launch);
  }
  counts.json = cucpu::trace::to_json(sum);
  return counts;
}

}  // namespace device
