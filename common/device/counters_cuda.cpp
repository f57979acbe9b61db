#include <stdexcept>

#include "device/counters.h"

namespace device {

void start_counting(char* const*) { throw std::runtime_error("a profiler counts on a GPU"); }

Counts take_counts() { return {}; }

}  // namespace device
