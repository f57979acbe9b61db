// How much memory the host has: the machine's, or that of the control group the program runs in.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "allocations.h"

namespace cucpu {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// The number after `key` in a file of lines `key number ...`; `missing` if there is none.
std::size_t value_of(const char* path, const std::string& key, std::size_t missing) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) == 0)
      return std::strtoull(line.c_str() + key.size(), nullptr, 10);
  }
  return missing;
}

// The number that is all the file holds; `missing` if it cannot be read or says "max".
std::size_t sole_value(const char* path, std::size_t missing) {
  std::size_t value = 0;
  std::ifstream file(path);
  return file >> value ? value : missing;
}

HostMemory group_memory(const char* limit_path, const char* usage_path, const char* statistics_path,
                        const char* reclaimable_key) {
  const std::size_t limit = sole_value(limit_path, kUnlimited);
  if (limit == kUnlimited) return {kUnlimited, kUnlimited};
  const std::size_t usage = sole_value(usage_path, 0);
  const std::size_t reclaimable = value_of(statistics_path, reclaimable_key, 0);
  const std::size_t used = usage - std::min(usage, reclaimable);
  return {limit, limit - std::min(limit, used)};
}

}  // namespace

HostMemory host_memory() {
  constexpr const char* kMeminfo = "/proc/meminfo";
  const std::size_t pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const HostMemory machine{pages, value_of(kMeminfo, "MemAvailable:", pages / 1024) * 1024};
  const HostMemory v2 = group_memory("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                                     "/sys/fs/cgroup/memory.stat", "inactive_file ");
  const HostMemory v1 = group_memory("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                     "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                                     "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file ");
  const std::size_t available = std::min({machine.available, v2.available, v1.available});
  // The last sixteenth stays with the rest of the system, which would otherwise kill the program.
  return {std::min({machine.total, v2.total, v1.total}), available - available / 16};
}

}  // namespace cucpu
