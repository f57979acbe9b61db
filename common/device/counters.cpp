#include "device/counters.h"

#include "ncu_metrics.h"

namespace device {

std::string profiler_command() { return std::string("ncu --metrics ") + kNcuMetrics; }

}  // namespace device
