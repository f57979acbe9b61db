#include "device_heap.h"

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "cucpu/execution.h"

// As traced programs see it.
#define CUCPU_TRACED
#include "cucpu/device_heap.h"
#undef CUCPU_TRACED

namespace cucpu {
namespace {

struct Heap {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, std::size_t> bytes_by_begin;
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
  auto old = h.bytes_by_begin.upper_bound(begin);
  if (old != h.bytes_by_begin.begin() && std::prev(old)->first + std::prev(old)->second > begin)
    --old;
  while (old != h.bytes_by_begin.end() && old->first < begin + bytes)
    old = h.bytes_by_begin.erase(old);
  h.bytes_by_begin[begin] = bytes;
  h.is_used = true;
  return memory;
}

bool is_in_device_heap(std::uintptr_t address) {
  Heap& h = heap();
  if (!h.is_used) return false;
  const std::shared_lock lock(h.mutex);
  const auto above = h.bytes_by_begin.upper_bound(address);
  if (above == h.bytes_by_begin.begin()) return false;
  const auto& [begin, bytes] = *std::prev(above);
  return address - begin < bytes;
}

}  // namespace cucpu
