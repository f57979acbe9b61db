// How a device carries out an atomic function in shared memory, which decides what that costs. In
// global memory all are carried out alike, in the L2 cache.
#pragma once

#include <cstdint>

namespace cucpu {

enum class AtomicWay : std::uint8_t {
  in_place,          // one instruction
  compare_and_swap,  // one instruction, which passes the banks twice
  // No instruction does it: one loads, the thread computes, another compares and swaps; again, for
  // as long as some other thread comes between.
  loop,
};

}  // namespace cucpu
