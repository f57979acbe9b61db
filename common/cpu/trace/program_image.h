// The parts of the program's own memory that kernels may read, or that are theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cucpu::trace {

struct Extent {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

// Which of these, in ascending order, has the address; null: none.
const Extent* find_extent(const std::vector<Extent>& extents, std::uintptr_t address);

// The address at which the program was loaded; its debug information does not know it.
std::uintptr_t load_address();

// The tables, strings and variables of the program and its libraries.
std::vector<Extent> static_memory();

// The thread-local variables that the program itself has in the calling thread, among them all
// static shared variables.
Extent thread_local_memory();

}  // namespace cucpu::trace
