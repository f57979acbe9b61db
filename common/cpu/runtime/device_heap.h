// Memory that kernels have got for themselves, by malloc and new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cucpu {

struct HeapMemory {
  std::uintptr_t begin;
  std::size_t bytes;
  std::uint64_t number;     // of the allocation
  bool is_leaving = false;  // about to be freed: its destructor may still be at work
  bool is_freed = false;
};

// The memory that a kernel has got there. Freed memory is known until another allocation lies
// there.
std::optional<HeapMemory> in_device_heap(std::uintptr_t address);

// The heap's size in bytes, cudaLimitMallocHeapSize. Returns whether it may still be set: not once a
// kernel has allocated there.
std::size_t device_heap_bytes();
bool set_device_heap_bytes(std::size_t bytes);
// For cudaDeviceReset: nothing is allocated, and the size is the initial one.
void reset_device_heap();

}  // namespace cucpu
