// Stages that some threads of a block fill and others use: for each a barrier at which those who
// fill it arrive, and one for those who have used it.
#pragma once

#include <cstdint>

#include "cucpu/device/arrival_barrier.h"

namespace cucpu {

struct Stage {
  ArrivalBarrier filled, used;
};

// Out of sight of those who trace the kernel.
void begin_stages(Stage* stages, unsigned count, unsigned producers, unsigned consumers);

}  // namespace cucpu
