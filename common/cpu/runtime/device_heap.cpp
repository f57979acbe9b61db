#include "device_heap.h"

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "cucpu/execution.h"
#include "observer.h"

// As traced programs see it.
#define CUCPU_TRACED
#include "cucpu/device_heap.h"
#undef CUCPU_TRACED

namespace cucpu {
namespace {

struct Heap {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, HeapMemory> by_begin;
  std::uint64_t last_number = 0;
  std::atomic<bool> is_used = false;
};
Heap& heap() {
  static Heap& h = *new Heap;  // workers may outlive static objects
  return h;
}

}  // namespace

void* of_device_heap(void* memory, std::size_t bytes) {
  if (memory == nullptr || !in_kernel()) return memory;
  Heap& h = heap();
  const std::unique_lock lock(h.mutex);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  // The kernel has freed whatever lay here before.
  auto old = h.by_begin.upper_bound(begin);
  if (old != h.by_begin.begin() && std::prev(old)->first + std::prev(old)->second.bytes > begin)
    --old;
  while (old != h.by_begin.end() && old->first < begin + bytes) old = h.by_begin.erase(old);
  h.by_begin[begin] = {begin, bytes, ++h.last_number};
  h.is_used = true;
  return memory;
}

std::uint64_t begin_free(const volatile void* begin, Site site) {
  // Nothing, and the host's memory, are free to go.
  if (begin == nullptr || !in_kernel()) return UINT64_MAX;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  bool was_freed = false;
  {
    Heap& h = heap();
    const std::unique_lock lock(h.mutex);
    const auto found = h.by_begin.find(address);
    if (found != h.by_begin.end()) {
      was_freed = std::exchange(found->second.is_leaving, true);
      if (!was_freed) return found->second.number;
    }
  }
  if (this_observer != nullptr) this_observer->bad_device_free(address, was_freed, site);
  return 0;
}

void end_free(const volatile void* begin, std::uint64_t number) {
  Heap& h = heap();
  const std::unique_lock lock(h.mutex);
  const auto found = h.by_begin.find(reinterpret_cast<std::uintptr_t>(begin));
  if (found != h.by_begin.end() && found->second.number == number) found->second.is_freed = true;
}

std::optional<HeapMemory> in_device_heap(std::uintptr_t address) {
  Heap& h = heap();
  if (!h.is_used) return std::nullopt;
  const std::shared_lock lock(h.mutex);
  const auto above = h.by_begin.upper_bound(address);
  if (above == h.by_begin.begin()) return std::nullopt;
  const HeapMemory& below = std::prev(above)->second;
  if (address - below.begin >= below.bytes) return std::nullopt;
  return below;
}

}  // namespace cucpu
