#include "checked_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

#include "settings.h"

namespace cucpu::checked_memory {
namespace {

// Addresses only: memory is the host's once it is touched.
constexpr std::size_t kArenaBytes = std::size_t{1} << 40;
constexpr std::size_t kPageBytes = 4096;
// Between allocations, for indices that are off by a row of a matrix.
constexpr std::size_t kGapBytes = std::size_t{1} << 16;

struct State {
  std::mutex mutex;
  Arena arena;
  std::uintptr_t next = 0;
  std::map<std::uintptr_t, std::size_t> freed;
};

// Never destroyed: destructors of static objects may still free their buffers.
State& state() {
  static State& s = *new State;
  return s;
}

void* reserve(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

bool make_arena(State& s) {
  if (s.arena.states != nullptr) return true;
  void* const memory = reserve(kArenaBytes);
  void* const states = memory == nullptr ? nullptr : reserve(kArenaBytes);
  if (states == nullptr) return false;
  s.arena = {reinterpret_cast<std::uintptr_t>(memory), kArenaBytes,
             static_cast<ByteState*>(states)};
  s.next = s.arena.begin + kGapBytes;
  return true;
}

void set(std::uintptr_t begin, std::size_t bytes, ByteState to) {
  const Arena& arena = state().arena;
  std::memset(arena.states + (begin - arena.begin), static_cast<int>(to), bytes);
}

bool holds(const void* begin) {
  const Arena& arena = state().arena;
  return reinterpret_cast<std::uintptr_t>(begin) - arena.begin < arena.bytes;
}

std::uintptr_t up_to_page(std::uintptr_t address) {
  return (address + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace

bool is_wanted() { return settings().tools.check_memory(); }

void* take(std::size_t bytes, bool defined) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!make_arena(s)) return nullptr;
  const std::uintptr_t begin = s.next;
  if (bytes > s.arena.begin + s.arena.bytes - begin - 2 * kGapBytes) return nullptr;
  s.next = up_to_page(begin + bytes) + kGapBytes;
  set(begin, bytes, defined ? ByteState::defined : ByteState::undefined);
  return reinterpret_cast<void*>(begin);
}

void give_back(void* memory, std::size_t bytes) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  set(begin, bytes, ByteState::freed);
  s.freed[begin] = bytes;
  // The addresses stay taken.
  madvise(memory, up_to_page(bytes), MADV_DONTNEED);
}

std::optional<Freed> freed_at(std::uintptr_t address) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto above = s.freed.upper_bound(address);
  if (above == s.freed.begin()) return std::nullopt;
  const auto& [begin, bytes] = *std::prev(above);
  if (address - begin >= bytes) return std::nullopt;
  return Freed{begin, bytes};
}

void define(const void* begin, std::size_t bytes) {
  if (holds(begin)) set(reinterpret_cast<std::uintptr_t>(begin), bytes, ByteState::defined);
}

void undefine(const void* begin, std::size_t bytes) {
  if (holds(begin)) set(reinterpret_cast<std::uintptr_t>(begin), bytes, ByteState::undefined);
}

void copy_states(const void* to, const void* from, std::size_t bytes) {
  if (!holds(to)) return;
  if (!holds(from)) return define(to, bytes);
  const Arena& arena = state().arena;
  const auto at = [&](const void* p) {
    return arena.states + (reinterpret_cast<std::uintptr_t>(p) - arena.begin);
  };
  std::memmove(at(to), at(from), bytes);
}

Arena arena() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.arena;
}

}  // namespace cucpu::checked_memory
