// How a device executes an access to memory, if that changes the cost of the access, or the order
// of accesses that threads may rely on.
#pragma once

#include <cstdint>

namespace cucpu {

enum class Way : std::uint8_t {
  plain,             // one instruction; of atomic functions, those in global memory all are
  compare_and_swap,  // one instruction, which passes the banks of shared memory twice
  // An atomic function that no instruction does in shared memory: one loads, the thread computes,
  // another compares and swaps; again, for as long as some other thread comes between.
  loop,
  // One instruction, for which lanes that meet at a word need not take turns: the addition of the
  // constant 1 with its result not used.
  count,
  of_volatile,  // as the first, of a variable that is declared volatile
  of_atomic,    // as the first, a store by which an atomic object changes
  // A load from global memory and a store into shared memory, by one instruction.
  copy,
};

}  // namespace cucpu
