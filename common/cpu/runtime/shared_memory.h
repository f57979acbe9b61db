// The worker's side of shared memory (see cucpu/shared.h).
#pragma once

#include <cstddef>

namespace cucpu {

// A new block begins: discards the contents of shared memory. Static and dynamic shared memory may
// have `limit` bytes together.
void begin_shared_memory(std::size_t dynamic_bytes, std::size_t limit);

}  // namespace cucpu
