// Asynchronous copies of a CUDA thread. They happen as late as is allowed, when the thread waits
// for them, so that a wait that is missing shows in the result. What a thread never waits for is
// never copied.
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
