// Memory that kernels of a traced program have got for themselves, by malloc and new.
#pragma once

#include <cstdint>

namespace cucpu {

// Whether a kernel has allocated this address. Freed memory counts until something else lies there.
bool is_in_device_heap(std::uintptr_t address);

}  // namespace cucpu
