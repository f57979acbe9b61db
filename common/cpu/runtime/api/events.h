// What streams need to know of events.
#pragma once

#include "driver_types.h"

namespace cucpu {
bool is_live_event(cudaEvent_t event);
}  // namespace cucpu
