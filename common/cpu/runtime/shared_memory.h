// The worker's side of shared memory (see cucpu/shared.h).
#pragma once

#include <cstddef>

namespace cucpu {

// A new block begins, whose static and dynamic shared memory may be `limit` bytes together. What
// shared memory held is gone.
void begin_shared_memory(std::size_t dynamic_bytes, std::size_t limit);

}  // namespace cucpu
