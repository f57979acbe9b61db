// Device memory of a program whose accesses are checked (../../trace): one arena, with a state for
// each of its bytes.
//
// Allocations lie far apart, and freed memory is never reused. So an access beside an allocation,
// or after its end, is recognized as such, and does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cucpu::checked_memory {

enum class ByteState : std::uint8_t {
  outside = 0,    // of any allocation
  freed = 1,      // of an allocation that there was
  undefined = 2,  // never written
  defined = 3,
};

// Whether the tools of this process want an arena. It exists from the first call of take() on.
bool is_wanted();

// Memory whose bytes are all undefined, or `defined`. Ends the process with one `error:` line if no
// addresses are left.
void* take(std::size_t bytes, bool defined);
void give_back(void* begin, std::size_t bytes);

// The extent of a freed allocation.
struct Freed {
  std::uintptr_t begin;
  std::size_t bytes;
};
std::optional<Freed> freed_at(std::uintptr_t address);

// These do nothing to memory outside the arena.
void define(const void* begin, std::size_t bytes);
void undefine(const void* begin, std::size_t bytes);
void copy_states(const void* to, const void* from, std::size_t bytes);

// Bytes that were never written.
struct Undefined {
  std::uintptr_t first;
  std::size_t sectors;  // of 32 bytes, in which there are any
};
// Those among these bytes; there are none outside the arena.
std::optional<Undefined> find_undefined(const void* begin, std::size_t bytes);

// The arena and its states: the state of the byte at `begin + i` is `states[i]`. Empty where there
// is no arena.
struct Arena {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  ByteState* states = nullptr;
};
Arena arena();

}  // namespace cucpu::checked_memory
