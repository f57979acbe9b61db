#pragma once

#include <optional>

namespace device {

/// The clock of the current device's SMs at this moment, in MHz, as the driver's
/// management library (NVML) tells it. Nothing where there is no such library, as on the CPU.
std::optional<int> multiprocessor_clock_mhz();

}  // namespace device
