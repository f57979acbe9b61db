#include <cucpu/trace.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include "device/counters.h"
#include "host/program_file.h"

namespace device {

bool can_count() {
  const char* const tools = std::getenv("CUCPU_TOOLS");
  if (tools != nullptr && !std::string_view(tools).empty()) return false;
  if (cucpu::trace::is_traced()) return true;
  std::error_code error;
  return std::filesystem::exists(host::program_file().string() + ".traced", error);
}

void start_counting(char* const* arguments) {
  if (!cucpu::trace::is_traced()) throw std::runtime_error(cucpu::trace::become_traced(arguments));
  cucpu::trace::start_counting();
}

Counts take_counts(bool with_tables) {
  Counts counts;
  if (!with_tables) {
    counts.json = cucpu::trace::to_json(cucpu::trace::take_sum());
    return counts;
  }
  cucpu::trace::Counters sum;
  const std::vector<cucpu::trace::LaunchCounters> launches = cucpu::trace::take_counters();
  for (const cucpu::trace::LaunchCounters& launch : launches) sum += launch.counters;
  counts.tables = cucpu::trace::tables(launches);
  counts.json = cucpu::trace::to_json(sum);
  return counts;
}

}  // namespace device
