#include "checked_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "lazy_fill.h"
#include "settings.h"
#include "shortage.h"

namespace cucpu::checked_memory {
namespace {

// Addresses only: memory is the host's once it is touched.
constexpr std::size_t kMaxArenaBytes = std::size_t{1} << 40;
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

// If the process has a limit of addresses, the arena gets an eighth of it: the states take as many,
// and the program, its stacks and the tools' records need theirs.
std::size_t arena_bytes() { return std::min(kMaxArenaBytes, std::bit_floor(address_limit()) / 8); }

[[noreturn]] void refuse(std::size_t bytes, std::size_t arena) {
  char what[100];
  std::snprintf(what, sizeof what, "%zu bytes of checked memory, out of %zu MiB in all", bytes,
                arena >> 20);
  end_for_shortage(what, "choose other tools in CUCPU_TOOLS");
}

void make_arena(State& s) {
  if (s.arena.states != nullptr) return;
  const std::size_t bytes = arena_bytes();
  void* const memory = reserve(bytes);
  void* const states = memory == nullptr ? nullptr : reserve(bytes);
  if (states == nullptr) refuse(bytes, 0);
  s.arena = {reinterpret_cast<std::uintptr_t>(memory), bytes, static_cast<ByteState*>(states)};
  s.next = s.arena.begin + kGapBytes;
}

void set(std::uintptr_t begin, std::size_t bytes, ByteState to) {
  const Arena& arena = state().arena;
  fill(arena.states + (begin - arena.begin), bytes, static_cast<unsigned char>(to));
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
  make_arena(s);
  const std::uintptr_t begin = s.next;
  const std::uintptr_t end = s.arena.begin + s.arena.bytes;
  if (begin + 2 * kGapBytes > end || bytes > end - begin - 2 * kGapBytes)
    refuse(bytes, s.arena.bytes);
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

std::optional<Undefined> find_undefined(const void* begin, std::size_t bytes) {
  if (!holds(begin)) return std::nullopt;
  constexpr std::size_t kSectorBytes = 32;
  const Arena& arena = state().arena;
  const auto next = [&](std::size_t from, std::size_t end) {
    const void* const found =
        std::memchr(arena.states + from, static_cast<int>(ByteState::undefined), end - from);
    return found == nullptr ? end : static_cast<const ByteState*>(found) - arena.states;
  };
  const std::size_t first = reinterpret_cast<std::uintptr_t>(begin) - arena.begin;
  const std::size_t end = first + bytes;
  Undefined undefined{arena.begin + next(first, end), 0};
  for (std::size_t at = first; (at = next(at, end)) < end;) {
    ++undefined.sectors;
    const std::size_t in_sector = (arena.begin + at) % kSectorBytes;
    at = std::min(at - in_sector + kSectorBytes, end);
  }
  if (undefined.sectors == 0) return std::nullopt;
  return undefined;
}

Arena arena() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.arena;
}

}  // namespace cucpu::checked_memory
