#include "device_heap.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "allocations.h"
#include "cucpu/device_heap.h"
#include "cucpu/execution.h"
#include "driver_types.h"
#include "observer.h"

namespace cucpu {
namespace {

constexpr std::size_t kInitialBytes = 8 << 20;
// As on an H200 (2026-11-28): a heap has at least so much, in multiples of so much.
constexpr std::size_t kLeastBytes = 4 << 20;
constexpr std::size_t kUnitBytes = 64 << 10;
// There, an allocation of 1 to 64 bytes takes 92. Larger ones take 1.1 to 2.2 times their size;
// here just that, so that no program runs out of memory here which does not there.
constexpr std::size_t kSmallestTaken = 80;

struct Heap {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, HeapMemory> by_begin;
  std::uint64_t last_number = 0;
  std::atomic<bool> is_used = false;
  std::atomic<std::size_t> bytes = kInitialBytes;
  std::atomic<std::size_t> taken = 0;
};
Heap& heap() {
  static Heap& h = *new Heap;  // workers may outlive static objects
  return h;
}

std::size_t taken_by(std::size_t bytes) { return std::max(bytes, kSmallestTaken); }

// The target of a free or delete.
enum class Freed { allocation, freed_before, no_allocation, unknown };

// An allocation that begins there is marked as leaving; `number` is its own.
Freed begin_to_free(std::uintptr_t address, std::uint64_t& number) {
  Heap& h = heap();
  const std::unique_lock lock(h.mutex);
  const auto above = h.by_begin.upper_bound(address);
  if (above == h.by_begin.begin()) return Freed::unknown;
  HeapMemory& below = std::prev(above)->second;
  if (below.begin == address) {
    number = below.number;
    return std::exchange(below.is_leaving, true) ? Freed::freed_before : Freed::allocation;
  }
  const bool is_inside = address - below.begin < below.bytes && !below.is_leaving;
  return is_inside ? Freed::no_allocation : Freed::unknown;
}

}  // namespace

bool reserve_on_device_heap(std::size_t bytes) {
  if (!in_kernel()) return true;
  Heap& h = heap();
  const std::size_t wanted = taken_by(bytes);
  h.is_used = true;
  std::size_t taken = h.taken;
  do {
    if (wanted > h.bytes || taken > h.bytes - wanted) return false;
  } while (!h.taken.compare_exchange_weak(taken, taken + wanted));
  return true;
}

void* of_device_heap(void* memory, std::size_t bytes) {
  if (!in_kernel()) return memory;
  Heap& h = heap();
  if (memory == nullptr) {
    h.taken -= taken_by(bytes);
    return nullptr;
  }
  const std::unique_lock lock(h.mutex);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  // The kernel has freed whatever lay here before.
  auto old = h.by_begin.upper_bound(begin);
  if (old != h.by_begin.begin() && std::prev(old)->first + std::prev(old)->second.bytes > begin)
    --old;
  while (old != h.by_begin.end() && old->first < begin + bytes) {
    if (!old->second.is_freed) h.taken -= taken_by(old->second.bytes);
    old = h.by_begin.erase(old);
  }
  h.by_begin[begin] = {begin, bytes, ++h.last_number};
  return memory;
}

std::uint64_t begin_free(std::uintptr_t begin, Site site) {
  // Nothing, and the host's memory, are free to go.
  if (begin == 0 || !in_kernel()) return UINT64_MAX;
  std::uint64_t number = 0;
  Freed freed = begin_to_free(begin, number);
  if (freed == Freed::allocation) return number;
  if (freed == Freed::unknown &&
      Allocations::instance().containing(reinterpret_cast<const void*>(begin)))
    freed = Freed::no_allocation;
  if (this_observer != nullptr &&
      this_observer->bad_device_free(begin, freed == Freed::freed_before, site))
    return 0;
  // The host's heap knows what the lowering has not seen.
  if (freed == Freed::unknown) return UINT64_MAX;
  fault(cudaErrorLaunchFailure,
        freed == Freed::freed_before
            ? "Memory of the device's heap is freed for a second time"
            : "free or delete of a pointer that malloc and new in kernels have not returned",
        site);
}

void end_free(std::uintptr_t begin, std::uint64_t number) {
  if (number == 0 || number == UINT64_MAX) return;
  Heap& h = heap();
  const std::unique_lock lock(h.mutex);
  const auto found = h.by_begin.find(begin);
  // Another thread's allocation may lie there by now.
  if (found == h.by_begin.end() || found->second.number != number) return;
  found->second.is_freed = true;
  h.taken -= taken_by(found->second.bytes);
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

std::size_t device_heap_bytes() { return heap().bytes; }

bool set_device_heap_bytes(std::size_t bytes) {
  Heap& h = heap();
  if (h.is_used) return false;
  h.bytes = (std::max(bytes, kLeastBytes) + kUnitBytes - 1) / kUnitBytes * kUnitBytes;
  return true;
}

void reset_device_heap() {
  Heap& h = heap();
  const std::unique_lock lock(h.mutex);
  h.by_begin.clear();
  h.is_used = false;
  h.bytes = kInitialBytes;
  h.taken = 0;
}

}  // namespace cucpu
