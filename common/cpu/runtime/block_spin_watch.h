// Finds blocks whose threads wait together for another block:
//
//   do {
//     if (threadIdx.x == 0) done = all_are_here();
//     __syncthreads();
//   } while (!done);
//
// Every thread of such a block keeps entering the runtime, so SpinWatch (preemption.h) does not see
// it spin. But look at one of its threads while the others run, now and then: it has run since the
// look before, and is at the same place again, with the same values on its stack, and the same
// values are in the block's shared memory.
#pragma once

#include <array>
#include <cstdint>

#include "cucpu/execution.h"
#include "cucpu/fiber.h"
#include "lanes.h"

namespace cucpu {

class FiberPool;

class BlockSpinWatch {
 public:
  static constexpr unsigned kNone = ~0u;

  void begin_block() { thread_ = kNone; }

  // The thread that is looked at, or kNone: begin_watch() has to choose one.
  unsigned thread() const { return thread_; }
  // The first live thread of a warp.
  void begin_watch(unsigned thread);
  // All threads of the block have met, or those lanes of a warp.
  void block_met() { met_ = true; }
  void lanes_met(unsigned warp, std::uint32_t lanes) {
    met_ |= thread_ / warpSize == warp && (lanes & bit_of(thread_ % warpSize)) != 0;
  }
  // To be called from time to time by the thread whose number is `running`. `in_turn`: the threads
  // of its warp run one after the other, in ascending order. True if the block has been in the same
  // states again and again.
  bool look(const Fiber& watched, const FiberPool& fibers, unsigned running, bool in_turn);

 private:
  bool has_run(unsigned running, bool in_turn);

  unsigned thread_ = kNone;
  bool met_ = false;                       // since the last look
  unsigned last_running_ = 0;              // of the warp, at an earlier look
  unsigned looks_ = 0;                     // in vain, since the thread was seen to have run
  std::array<std::uint64_t, 8> states_{};  // the last ones
  unsigned state_count_ = 0;
  unsigned repeated_ = 0;  // states in a row that were there before
};

}  // namespace cucpu
