#include "mapped_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <vector>

#include "shortage.h"

namespace cucpu::mapped_memory {
namespace {

constexpr std::size_t kPageBytes = 4096;
// Small pieces are cut from slabs, in sizes that are powers of two: a process may have 65,000
// mappings at most, and a program many small allocations.
constexpr std::size_t kSlabBytes = std::size_t{2} << 20;
// Pieces up to this size are kept for the next one, whose pages are then there already; larger ones
// are unmapped.
constexpr std::size_t kLargestSlot = std::size_t{32} << 20, kSmallestSlot = kPageBytes;
constexpr int kSlotSizes = std::bit_width(kLargestSlot / kSmallestSlot);
// From here on pages of 2 MiB make the first touch faster.
constexpr std::size_t kLarge = std::size_t{4} << 20;
// Addresses behind a mapping where nothing else can be: what a kernel without a bounds check, or
// with an allocation that lacks a sizeof, writes to first. It faults, as it may on a GPU.
constexpr std::size_t kMostBehind = std::size_t{16} << 20;

// Fewer where addresses are limited; always as many, so that a mapping ends where it did.
std::size_t bytes_behind() {
  static const std::size_t bytes =
      std::clamp(std::bit_floor(address_limit()) / 1024, kPageBytes, kMostBehind);
  return bytes;
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

void* map(std::size_t bytes) {
  const std::size_t behind = bytes_behind();
  void* const memory = mmap(nullptr, whole_pages(bytes) + behind, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (mprotect(memory, whole_pages(bytes), PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, whole_pages(bytes) + behind);
    return nullptr;
  }
  // Only a hint: a kernel without large pages refuses it.
  if (bytes >= kLarge) madvise(memory, whole_pages(bytes), MADV_HUGEPAGE);
  return memory;
}

struct Slots {
  std::mutex mutex;
  std::array<std::vector<void*>, kSlotSizes> free;
};

// Never destroyed: destructors of static objects may still free their buffers.
Slots& slots() {
  static Slots& s = *new Slots;
  return s;
}

std::size_t slot_bytes(std::size_t bytes) { return std::max(std::bit_ceil(bytes), kSmallestSlot); }
std::vector<void*>& free_slots(std::size_t bytes) {
  return slots().free[std::bit_width(slot_bytes(bytes) / kSmallestSlot) - 1];
}

}  // namespace

void* take(std::size_t bytes) {
  if (bytes > kLargestSlot) return map(bytes);
  const std::lock_guard lock(slots().mutex);
  std::vector<void*>& free = free_slots(bytes);
  if (free.empty()) {
    const std::size_t size = slot_bytes(bytes), slab_bytes = std::max(size, kSlabBytes);
    char* const slab = static_cast<char*>(map(slab_bytes));
    if (slab == nullptr) return nullptr;
    for (std::size_t end = slab_bytes; end > 0; end -= size) free.push_back(slab + (end - size));
  }
  void* const slot = free.back();
  free.pop_back();
  return slot;
}

void give_back(void* memory, std::size_t bytes) {
  if (bytes > kLargestSlot) {
    munmap(memory, whole_pages(bytes) + bytes_behind());
    return;
  }
  const std::lock_guard lock(slots().mutex);
  free_slots(bytes).push_back(memory);
}

}  // namespace cucpu::mapped_memory
