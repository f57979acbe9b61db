#include "device/clock.h"

namespace device {

std::optional<int> multiprocessor_clock_mhz() { return {}; }

}  // namespace device
