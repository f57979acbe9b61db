#include "allocations.h"

#include <mutex>

#include "call.h"
#include "checked_memory.h"
#include "lazy_fill.h"
#include "mapped_memory.h"
#include "observer.h"

namespace cucpu {
namespace {

constexpr unsigned char kPoison = 0xff;
constexpr std::size_t kGuardBytes = kAllocationAlignment;
// Unfilled, behind the guard at the end: as much as a full block writes if its bounds check is
// missing, at 16 bytes per thread. Beyond may lie another allocation.
constexpr std::size_t kSlackBytes = 16 * 1024;
// Smaller allocations are not worth a look at what the host has left.
constexpr std::size_t kAlwaysAvailable = std::size_t{1} << 20;

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// The size of an allocation with the guards on both sides of it; and with the slack.
std::size_t block_bytes(std::size_t bytes) {
  const std::size_t padded =
      (bytes + kAllocationAlignment - 1) / kAllocationAlignment * kAllocationAlignment;
  return kGuardBytes + padded + kGuardBytes;
}
std::size_t room_bytes(std::size_t bytes) { return block_bytes(bytes) + kSlackBytes; }

void free_memory(const Allocation& allocation) {
  void* const begin = reinterpret_cast<void*>(allocation.begin);
  void* const block = static_cast<char*>(begin) - kGuardBytes;
  if (observers != nullptr) observers->freed(begin, allocation.bytes);
  if (checked_memory::is_wanted())
    checked_memory::give_back(begin, allocation.bytes);
  else
    mapped_memory::give_back(block, room_bytes(allocation.bytes));
}

// The host's writes are not traced, so memory within its reach counts as written.
bool is_out_of_hosts_reach(MemoryKind kind) { return kind == MemoryKind::device; }

// Takes memory, without registering it.
void* take_memory(std::size_t bytes, MemoryKind kind) {
  if (checked_memory::is_wanted()) {
    void* const begin = checked_memory::take(bytes, !is_out_of_hosts_reach(kind));
    if (begin != nullptr) fill(begin, bytes, kPoison);
    return begin;
  }
  void* const block = mapped_memory::take(room_bytes(bytes));
  if (block == nullptr) return nullptr;
  fill(block, block_bytes(bytes), kPoison);
  return static_cast<char*>(block) + kGuardBytes;
}

bool owns_its_memory(MemoryKind kind) {
  return kind != MemoryKind::registered && kind != MemoryKind::symbol;
}

}  // namespace

Allocations& Allocations::instance() {
  // Never destroyed: destructors of static objects may still free their buffers.
  static Allocations& registry = *new Allocations;
  return registry;
}

bool Allocations::add(const void* begin, std::size_t bytes, MemoryKind kind, unsigned flags,
                      cudaMemPool_t pool) {
  const std::lock_guard lock(mutex_);
  const std::uintptr_t first = number(begin);
  const auto next = by_begin_.lower_bound(first);
  if (next != by_begin_.end() && next->second.begin < first + bytes) return false;
  if (next != by_begin_.begin() && std::prev(next)->second.end() > first) return false;
  by_begin_.emplace_hint(next, first, Allocation{first, bytes, kind, flags, pool, ++last_serial_});
  return true;
}

std::optional<Allocation> Allocations::remove(const void* begin) {
  const std::lock_guard lock(mutex_);
  const auto found = by_begin_.find(number(begin));
  if (found == by_begin_.end()) return std::nullopt;
  const Allocation allocation = found->second;
  by_begin_.erase(found);
  return allocation;
}

std::optional<Allocation> Allocations::withdraw(const void* begin) {
  const std::lock_guard lock(mutex_);
  auto node = by_begin_.extract(number(begin));
  if (node.empty()) return std::nullopt;
  const Allocation allocation = node.mapped();
  withdrawn_.insert(std::move(node));
  return allocation;
}

void Allocations::let_go(const Allocation& withdrawn) {
  const std::lock_guard lock(mutex_);
  withdrawn_.erase(withdrawn.begin);
}

std::optional<Allocation> Allocations::at(const void* begin) const {
  const std::shared_lock lock(mutex_);
  const auto found = by_begin_.find(number(begin));
  if (found == by_begin_.end()) return std::nullopt;
  return found->second;
}

std::optional<Allocation> Allocations::containing(const void* address) const {
  const std::optional<Allocation> found = nearest(address);
  return found && found->contains(number(address)) ? found : std::nullopt;
}

std::optional<Allocation> Allocations::nearest(const void* address) const {
  const std::shared_lock lock(mutex_);
  if (by_begin_.empty()) return std::nullopt;
  const std::uintptr_t a = number(address);
  const auto above = by_begin_.upper_bound(a);
  if (above == by_begin_.begin()) return above->second;
  const Allocation& below = std::prev(above)->second;
  if (above == by_begin_.end() || a < below.end()) return below;
  return a - below.end() < above->second.begin - a ? below : above->second;
}

std::vector<Allocation> Allocations::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<Allocation> list;
  for (const auto& [begin, allocation] : by_begin_) list.push_back(allocation);
  return list;
}

std::vector<Allocation> Allocations::all_in_use() const {
  const std::shared_lock lock(mutex_);
  std::vector<Allocation> list;
  for (const auto* known : {&by_begin_, &withdrawn_})
    for (const auto& [begin, allocation] : *known) list.push_back(allocation);
  return list;
}

void* allocate(std::size_t bytes, MemoryKind kind, unsigned flags, cudaMemPool_t pool) {
  if (bytes > kAlwaysAvailable && bytes > host_memory().available) return nullptr;
  void* const begin = take_memory(bytes, kind);
  if (begin == nullptr) return nullptr;
  if (!Allocations::instance().add(begin, bytes, kind, flags, pool)) {
    // Registered memory that the program has freed behind the registry's back may lie here.
    for (const Allocation& a : Allocations::instance().all()) {
      const bool stale = a.begin < number(begin) + bytes && a.end() > number(begin);
      if (stale) Allocations::instance().remove(reinterpret_cast<const void*>(a.begin));
    }
    Allocations::instance().add(begin, bytes, kind, flags, pool);
  }
  return begin;
}

std::optional<Allocation> withdraw(void* begin, bool (*is_right_kind)(MemoryKind)) {
  Allocations& registry = Allocations::instance();
  const std::optional<Allocation> known = registry.at(begin);
  std::optional<Allocation> removed;
  // If two threads free the same memory, only one gets it.
  if (known && is_right_kind(known->kind)) removed = registry.withdraw(begin);
  if (!removed && observers != nullptr) {
    observers->bad_free(ApiCall::caller(), begin);
    ApiCall::mark_reported();
  }
  return removed;
}

void give_back(const Allocation& withdrawn) {
  Allocations::instance().let_go(withdrawn);
  if (withdrawn.pool != nullptr) note_pool_free(withdrawn.pool, withdrawn.bytes);
  free_memory(withdrawn);
}

bool release(void* begin, bool (*is_right_kind)(MemoryKind)) {
  const std::optional<Allocation> withdrawn = withdraw(begin, is_right_kind);
  if (withdrawn) give_back(*withdrawn);
  return withdrawn.has_value();
}

void release_all() {
  Allocations& registry = Allocations::instance();
  for (const Allocation& a : registry.all()) {
    if (registry.remove(reinterpret_cast<const void*>(a.begin)) && owns_its_memory(a.kind))
      free_memory(a);
  }
}

}  // namespace cucpu
