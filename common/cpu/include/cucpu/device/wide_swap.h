// Compare and swap of 16 bytes.
#pragma once

#include <cstdint>

namespace cucpu {

__extension__ using SixteenByteInteger = unsigned __int128;

// Returns what was at the address before, which must be a multiple of 16.
inline SixteenByteInteger compare_and_swap(void* address, SixteenByteInteger expected,
                                           SixteenByteInteger value) {
  auto* const place = static_cast<SixteenByteInteger*>(address);
#ifdef __x86_64__
  // Compilers call a library instead: the first x86-64 processors lacked the instruction.
  auto low = static_cast<std::uint64_t>(expected);
  auto high = static_cast<std::uint64_t>(expected >> 64);
  asm volatile("lock cmpxchg16b %0"
               : "+m"(*place), "+a"(low), "+d"(high)
               : "b"(static_cast<std::uint64_t>(value)),
                 "c"(static_cast<std::uint64_t>(value >> 64))
               : "cc");
  return static_cast<SixteenByteInteger>(high) << 64 | low;
#else
  return __sync_val_compare_and_swap(place, expected, value);
#endif
}

}  // namespace cucpu
