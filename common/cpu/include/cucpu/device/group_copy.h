// Copies that the threads of a group share among themselves, for the memcpy_async functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cucpu/device/pending_copies.h"
#include "cucpu/device/thread_scope.h"

namespace cuda {

// A number of bytes that is, as both addresses are, a multiple of `Alignment`.
template <::std::size_t Alignment>
struct aligned_size_t {
  ::std::size_t value;
  constexpr explicit aligned_size_t(::std::size_t bytes) : value(bytes) {}
  constexpr operator ::std::size_t() const { return value; }
};

}  // namespace cuda

namespace cucpu {

// The largest piece that one access can copy, in bytes: both addresses are multiples of it.
inline std::size_t piece_of_copy(const void* to, const void* from) {
  std::size_t piece = 16;
  while ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % piece)
    piece /= 2;
  return piece;
}

// Each thread copies every n-th piece, n being the size of the group.
template <class Group>
void copy_later_together(const Group& group, void* to, const void* from, std::size_t bytes) {
  const std::size_t piece = piece_of_copy(to, from), stride = piece * group.size();
  for (std::size_t begin = piece * group.thread_rank(); begin < bytes; begin += stride) {
    copy_later(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
               bytes - begin < piece ? bytes - begin : piece);
  }
}

// A group, for copies that a thread makes alone.
struct OneThread {
  static constexpr std::size_t size() { return 1; }
  static constexpr std::size_t thread_rank() { return 0; }
};

}  // namespace cucpu
