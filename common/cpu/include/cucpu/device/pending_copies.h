// Asynchronous copies of a CUDA thread. They happen as late as allowed: when the thread waits for
// them. A copy that the thread never waits for never happens, so a missing wait shows in the
// result.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cucpu {

// Adds a copy of `bytes` bytes, and then `zero_bytes` zeros, to the thread's open batch.
void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zero_bytes = 0);
// Closes the open batch and opens the next.
void commit_copies();
// Does the copies of all closed batches but the `batches_left` newest.
void finish_copies(std::uint64_t batches_left);

}  // namespace cucpu
