// Memory away from the host's heap. Kernels may write to it after it was given back, or past its
// end, and hit nothing that the program's host code or the runtime keeps.
#pragma once

#include <cstddef>

namespace cucpu::mapped_memory {

// Room for so many bytes, aligned to a page, or null if there is none. Safe to use from any number
// of threads.
void* take(std::size_t bytes);
// `bytes`: as they were taken.
void give_back(void* memory, std::size_t bytes);

}  // namespace cucpu::mapped_memory
