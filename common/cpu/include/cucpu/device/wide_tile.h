// Tiles of several warps: their threads wait for each other and show each other values. The state
// for this is kept for one block at a time, outside the program's memory.
#pragma once

#include <cstddef>

#include "cucpu/site.h"

namespace cucpu {

// The calling thread's tile of `size` threads, a power of two.
void sync_wide_tile(unsigned size, Site site);
// The tile has one slot per warp. Its threads may copy the value in a slot until the tile has met
// twice.
void show_in_wide_tile(unsigned size, unsigned slot, const void* value);
void copy_from_wide_tile(unsigned size, unsigned slot, void* to, std::size_t bytes);

}  // namespace cucpu
