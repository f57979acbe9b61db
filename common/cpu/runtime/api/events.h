// The facts about events that streams need.
#pragma once

#include "driver_types.h"
#include "operation.h"

namespace cucpu {
bool is_live_event(cudaEvent_t event);
// The mark that the event was recorded with last, or null.
OperationRef last_record(cudaEvent_t event);
}  // namespace cucpu
