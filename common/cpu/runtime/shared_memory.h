// The worker's side of shared memory (see cucpu/shared.h).
#pragma once

#include <cstddef>
#include <functional>

#include "cucpu/shared.h"

namespace cucpu {

// A new block begins: discards the contents of shared memory. Static and dynamic shared memory may
// have `limit` bytes together.
void begin_shared_memory(std::size_t dynamic_bytes, std::size_t limit);

// A __shared__ variable outside functions, from now on filled when a block begins.
void add_namespace_variable(NamespaceShared::Address address, std::size_t bytes);

// Calls visit(address, bytes) for the dynamic shared memory of the running block, and for each of
// its __shared__ variables that a thread has reached.
void for_each_shared_variable(const std::function<void(const void*, std::size_t)>& visit);

}  // namespace cucpu
