// Stages that some threads of a block fill and others use. Each has two barriers: its producers
// arrive at one when they have filled it, its consumers at the other when they have used it.
#pragma once

#include <cstdint>

#include "cucpu/device/arrival_barrier.h"

namespace cucpu {

struct Stage {
  ArrivalBarrier filled, used;
};

// The threads that may still use the stages of a pipeline.
struct StageUsers {
  unsigned count;
};

// Their accesses are not traced.
void begin_stages(Stage* stages, unsigned count, unsigned producers, unsigned consumers);

void begin_users(StageUsers& users, unsigned count);
// True if the calling thread was the last one.
bool leave(StageUsers& users);

}  // namespace cucpu
