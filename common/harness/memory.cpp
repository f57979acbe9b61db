#include "harness/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace harness {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

double system_available() {
  std::ifstream file("/proc/meminfo");
  constexpr double kBytesPerKb = 1024;
  std::string word;
  while (file >> word) {
    double kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * kBytesPerKb;
  }
  return kUnknown;
}

// A limit of "max" means none, and reads as no number.
double group_available() {
  double limit = 0, used = 0;
  std::ifstream limit_file("/sys/fs/cgroup/memory.max"), used_file("/sys/fs/cgroup/memory.current");
  if (!(limit_file >> limit) || !(used_file >> used)) return kUnknown;
  return std::max(limit - used, 0.0);
}

}  // namespace

double available_host_memory() { return std::min(system_available(), group_available()); }

}  // namespace harness
