// Copies that the threads of a group share among themselves, for the memcpy_async functions.
#pragma once

#include <cstddef>

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

// Each thread copies every n-th piece of 16 bytes, n being the size of the group.
template <class Group>
void copy_later_together(const Group& group, void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPiece = 16;
  const std::size_t stride = kPiece * group.size();
  for (std::size_t begin = kPiece * group.thread_rank(); begin < bytes; begin += stride) {
    copy_later(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
               bytes - begin < kPiece ? bytes - begin : kPiece);
  }
}

}  // namespace cucpu
