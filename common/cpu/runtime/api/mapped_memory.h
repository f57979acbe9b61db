// Memory away from the host's heap. A kernel may write to it after it was given back, or up to 16
// MiB past its end (less if addresses are limited), and hit nothing of the host's or the runtime's.
#pragma once

#include <cstddef>

namespace cucpu::mapped_memory {

// Room for so many bytes, aligned to a page, or null if there is none. Safe to use from any number
// of threads.
void* take(std::size_t bytes);
// `bytes`: as they were taken.
void give_back(void* memory, std::size_t bytes);

}  // namespace cucpu::mapped_memory
